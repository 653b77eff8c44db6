"""The metrics, each one a decorated definition; call one with options to get a variant."""

from referee.metrics.base import METRICS, Bound, Metric
from referee.metrics.binary import dcf, f1, fbeta, hter, jaccard, precision, recall, specificity
from referee.metrics.decorator import metric, resolve
from referee.metrics.formula import Share, share
from referee.metrics.multiclass import accuracy, balanced_accuracy, error, kappa, mcc
from referee.metrics.numeric import mae, mean, mse, rmse
from referee.metrics.rank_metrics import auc, average_precision

__all__ = [
    "METRICS",
    "Bound",
    "Metric",
    "Share",
    "accuracy",
    "auc",
    "average_precision",
    "balanced_accuracy",
    "dcf",
    "error",
    "f1",
    "fbeta",
    "hter",
    "jaccard",
    "kappa",
    "mae",
    "mcc",
    "mean",
    "metric",
    "mse",
    "precision",
    "recall",
    "resolve",
    "rmse",
    "share",
    "specificity",
]
