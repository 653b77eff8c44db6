"""The works that tests, metrics and intervals come from: how they are cited, listed, and written for BibTeX.

What is not certain (a page, a volume) is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BIBTEX = {
    "š": r"{\v{s}}",
    "é": r"{\'e}",
    "×": r"$\times$",
    "–": "--",
    "&": r"\&",
}


@dataclass(frozen=True, kw_only=True)
class Work:
    """A paper, a book or a report."""

    key: str
    authors: tuple[str, ...]
    """Each as "Surname, I. I."."""
    year: int | None
    title: str
    kind: str = "article"
    venue: str = ""
    """The journal, the proceedings, the publisher or the institution."""
    volume: str = ""
    number: str = ""
    pages: str = ""
    edition: str = ""
    others: bool = False
    """Whether there are authors that are not named here."""
    alias: str = ""
    """How reference strings name it, where that is not authors and year."""

    @property
    def surnames(self) -> list[str]:
        """The authors without their initials."""
        return [author.partition(",")[0] for author in self.authors]

    @property
    def label(self) -> str:
        """How the reference of a test or a metric names it: "Fagerland, Lydersen and Laake 2013"."""
        return self.alias or f"{joined(self.surnames, self.others)} {self.year}"

    @property
    def citation(self) -> str:
        """How a text cites it: "Fagerland et al., 2013"."""
        names = self.surnames
        many = len(names) > 2 or self.others
        return f"{f'{names[0]} et al.' if many else ' and '.join(names)}, {self.date}"

    @property
    def date(self) -> str:
        """The year, or "n.d." where it is not known."""
        return str(self.year) if self.year else "n.d."

    def __str__(self) -> str:
        where = self.venue
        if self.volume:
            where += f" {self.volume}" + (f"({self.number})" if self.number else "")
        elif self.number:
            where += f" {self.number}"
        where += f":{self.pages}" if self.volume and self.pages else f", pages {self.pages}" if self.pages else ""
        edition = f" ({self.edition} edition)" if self.edition else ""
        return f"{joined(list(self.authors), self.others)} ({self.date}). {self.title}{edition}. {where}."

    def bibtex(self) -> str:
        """Return the entry for BibTeX."""
        place = {
            "article": "journal",
            "book": "publisher",
            "inproceedings": "booktitle",
            "techreport": "institution",
            "misc": "howpublished",
        }
        fields = {
            "author": " and ".join([*self.authors, *(["others"] if self.others else [])]),
            "title": f"{{{self.title}}}",
            place[self.kind]: self.venue,
            "edition": self.edition,
            "volume": self.volume,
            "number": self.number,
            "pages": self.pages,
            "year": str(self.year or ""),
        }
        lines = [f"  {name} = {{{_bibtex(text)}}}," for name, text in fields.items() if text]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


def joined(names: list[str], others: bool = False) -> str:
    """Write several names as one phrase.

    >>> joined(["Box", "Hunter", "Hunter"]), joined(["Zhu"])
    ('Box, Hunter and Hunter', 'Zhu')
    """
    if others:
        return ", ".join(names) + " and others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _bibtex(text: str) -> str:
    return "".join(BIBTEX.get(sign, sign) for sign in text)


def _work(key: str, authors: str, year: int | None, title: str, venue: str, where: str = "", **more: str) -> Work:
    """Make a work; the authors are separated by "; ", and the place is "volume(number):pages"."""
    found = re.fullmatch(r"(?P<volume>[^(:]*)(?:\((?P<number>[^)]*)\))?(?::(?P<pages>.*))?", where)
    place = {name: text or "" for name, text in found.groupdict().items()} if found else {}
    names = authors.removesuffix("; others").split("; ")
    others = authors.endswith("; others")
    return Work(key=key, authors=tuple(names), year=year, title=title, venue=venue, others=others, **{**place, **more})


MEDICINE, ASSOCIATION = "Statistics in Medicine", "Journal of the American Statistical Association"
WORKS = {
    work.key: work
    for work in (
        _work("agresti2005", "Agresti, A.; Min, Y.", 2005, "Simple improved confidence intervals for comparing matched proportions", MEDICINE, "24(5):729–740"),
        _work("alpaydin1999", "Alpaydin, E.", 1999, "Combined 5 × 2 cv F test for comparing supervised classification learning algorithms", "Neural Computation", "11(8):1885–1892"),
        _work("bell2002", "Bell, R. M.; McCaffrey, D. F.", 2002, "Bias reduction in standard errors for linear regression with multi-stage samples", "Survey Methodology", "28(2):169–181"),
        _work("benavoli2017", "Benavoli, A.; Corani, G.; Demšar, J.; Zaffalon, M.", 2017, "Time for a change: a tutorial for comparing multiple classifiers through Bayesian analysis", "Journal of Machine Learning Research", "18(77):1–36"),
        _work("benjamini1995", "Benjamini, Y.; Hochberg, Y.", 1995, "Controlling the false discovery rate: a practical and powerful approach to multiple testing", "Journal of the Royal Statistical Society, Series B", "57(1):289–300"),
        _work("benjamini2001", "Benjamini, Y.; Yekutieli, D.", 2001, "The control of the false discovery rate in multiple testing under dependency", "Annals of Statistics", "29(4):1165–1188"),
        _work("bonett2012", "Bonett, D. G.; Price, R. M.", 2012, "Adjusted Wald confidence interval for a difference of binomial proportions based on paired data", "Journal of Educational and Behavioral Statistics", "37(4):479–488"),
        _work("bouckaert2004", "Bouckaert, R. R.; Frank, E.", 2004, "Evaluating the replicability of significance tests for comparing learning algorithms", "Advances in Knowledge Discovery and Data Mining (PAKDD)", kind="inproceedings", pages="3–12"),
        _work("box1978", "Box, G. E. P.; Hunter, W. G.; Hunter, J. S.", 1978, "Statistics for Experimenters", "John Wiley and Sons", kind="book"),
        _work("brodersen2010", "Brodersen, K. H.; Ong, C. S.; Stephan, K. E.; Buhmann, J. M.", 2010, "The balanced accuracy and its posterior distribution", "International Conference on Pattern Recognition (ICPR)", kind="inproceedings", pages="3121–3124"),
        _work("cameron2008", "Cameron, A. C.; Gelbach, J. B.; Miller, D. L.", 2008, "Bootstrap-based improvements for inference with clustered errors", "Review of Economics and Statistics", "90(3):414–427"),
        _work("chung2013", "Chung, E.; Romano, J. P.", 2013, "Exact and asymptotically robust permutation tests", "Annals of Statistics", "41(2):484–507"),
        _work("cohen1960", "Cohen, J.", 1960, "A coefficient of agreement for nominal scales", "Educational and Psychological Measurement", "20(1):37–46"),
        _work("corani2015", "Corani, G.; Benavoli, A.", 2015, "A Bayesian approach for comparing cross-validated algorithms on multiple data sets", "Machine Learning", "100:285–304"),
        _work("davison1997", "Davison, A. C.; Hinkley, D. V.", 1997, "Bootstrap Methods and their Application", "Cambridge University Press", kind="book"),
        _work("delong1988", "DeLong, E. R.; DeLong, D. M.; Clarke-Pearson, D. L.", 1988, "Comparing the areas under two or more correlated receiver operating characteristic curves: a nonparametric approach", "Biometrics", "44(3):837–845"),
        _work("demsar2006", "Demšar, J.", 2006, "Statistical comparisons of classifiers over multiple data sets", "Journal of Machine Learning Research", "7:1–30"),
        _work("dietterich1998", "Dietterich, T. G.", 1998, "Approximate statistical tests for comparing supervised classification learning algorithms", "Neural Computation", "10(7):1895–1923"),
        _work("dunn1961", "Dunn, O. J.", 1961, "Multiple comparisons among means", ASSOCIATION, "56(293):52–64"),
        _work("durkalski2003", "Durkalski, V. L.; Palesch, Y. Y.; Lipsitz, S. R.; Rust, P. F.", 2003, "Analysis of clustered matched-pair data", MEDICINE, "22(15):2417–2428"),
        _work("efron1987", "Efron, B.", 1987, "Better bootstrap confidence intervals", ASSOCIATION, "82(397):171–185"),
        _work("efron1993", "Efron, B.; Tibshirani, R. J.", 1993, "An Introduction to the Bootstrap", "Chapman and Hall", kind="book"),
        _work("eliasziw1991", "Eliasziw, M.; Donner, A.", 1991, "Application of the McNemar test to non-independent matched pair data", MEDICINE, "10(12):1981–1991"),
        _work("fagerland2013", "Fagerland, M. W.; Lydersen, S.; Laake, P.", 2013, "The McNemar test for binary matched-pairs data: mid-p and asymptotic are better than exact conditional", "BMC Medical Research Methodology", "13:91"),
        _work("gorodkin2004", "Gorodkin, J.", 2004, "Comparing two K-category assignments by a K-category correlation coefficient", "Computational Biology and Chemistry", "28(5–6):367–374"),
        _work("hall1992", "Hall, P.", 1992, "On the removal of skewness by transformation", "Journal of the Royal Statistical Society, Series B", "54(1):221–228"),
        _work("hanley1982", "Hanley, J. A.; McNeil, B. J.", 1982, "The meaning and use of the area under a receiver operating characteristic (ROC) curve", "Radiology", "143(1):29–36"),
        _work("harnett1982", "Harnett, D. L.", 1982, "Statistical Methods", "Addison-Wesley", kind="book", edition="third"),
        _work("hochberg1988", "Hochberg, Y.", 1988, "A sharper Bonferroni procedure for multiple tests of significance", "Biometrika", "75(4):800–802"),
        _work("holm1979", "Holm, S.", 1979, "A simple sequentially rejective multiple test procedure", "Scandinavian Journal of Statistics", "6(2):65–70"),
        _work("hothorn2002", "Hothorn, T.; Hornik, K.", 2002, "Exact nonparametric inference in R", "Proceedings in Computational Statistics (COMPSTAT)", kind="inproceedings"),
        _work("jaccard1912", "Jaccard, P.", 1912, "The distribution of the flora in the alpine zone", "New Phytologist", "11(2):37–50"),
        _work("janssen1997", "Janssen, A.", 1997, "Studentized permutation tests for non-i.i.d. hypotheses and the generalized Behrens-Fisher problem", "Statistics & Probability Letters", "36(1):9–21"),
        _work("keller2005", "Keller, M.; Bengio, S.; Wong, S. Y.", 2005, "Benchmarking non-parametric statistical tests", "Advances in Neural Information Processing Systems 18", kind="inproceedings"),
        _work("kellerbizarre", "Keller, M.; Bengio, S.; others", None, "Significance tests for bizarre measures in 2-class classification tasks", "IDIAP Research Institute", kind="techreport", alias="Keller and Bengio, bizarre measures"),
        _work("kish1965", "Kish, L.", 1965, "Survey Sampling", "John Wiley and Sons", kind="book"),
        _work("konietschke2014", "Konietschke, F.; Pauly, M.", 2014, "Bootstrapping and permuting paired t-test type statistics", "Statistics and Computing", "24(3):283–296"),
        _work("liang1986", "Liang, K.-Y.; Zeger, S. L.", 1986, "Longitudinal data analysis using generalized linear models", "Biometrika", "73(1):13–22"),
        _work("martin2000", "Martin, A.; Przybocki, M.", 2000, "The NIST 1999 speaker recognition evaluation: an overview", "Digital Signal Processing", "10(1–3):1–18"),
        _work("matthews1975", "Matthews, B. W.", 1975, "Comparison of the predicted and observed secondary structure of T4 phage lysozyme", "Biochimica et Biophysica Acta", "405(2):442–451"),
        _work("mcnemar1947", "McNemar, Q.", 1947, "Note on the sampling error of the difference between correlated proportions or percentages", "Psychometrika", "12(2):153–157"),
        _work("miettinen1985", "Miettinen, O.; Nurminen, M.", 1985, "Comparative analysis of two rates", MEDICINE, "4(2):213–226"),
        _work("nadeau2003", "Nadeau, C.; Bengio, Y.", 2003, "Inference for the generalization error", "Machine Learning", "52(3):239–281"),
        _work("newcombe1998", "Newcombe, R. G.", 1998, "Improved confidence intervals for the difference between binomial proportions based on paired data", MEDICINE, "17(22):2635–2650"),
        _work("noreen1989", "Noreen, E. W.", 1989, "Computer-Intensive Methods for Testing Hypotheses: An Introduction", "John Wiley and Sons", kind="book"),
        _work("obuchowski1998", "Obuchowski, N. A.", 1998, "On the comparison of correlated proportions for clustered data", MEDICINE, "17(13):1495–1507"),
        _work("owen2001", "Owen, A. B.", 2001, "Empirical Likelihood", "Chapman and Hall/CRC", kind="book"),
        _work("phipson2010", "Phipson, B.; Smyth, G. K.", 2010, "Permutation p-values should never be zero: calculating exact p-values when permutations are randomly drawn", "Statistical Applications in Genetics and Molecular Biology", "9(1)"),
        _work("pratt1959", "Pratt, J. W.", 1959, "Remarks on zeros and ties in the Wilcoxon signed rank procedures", ASSOCIATION, "54(287):655–667"),
        _work("pustejovsky2018", "Pustejovsky, J. E.; Tipton, E.", 2018, "Small-sample methods for cluster-robust variance estimation and hypothesis testing in fixed effects models", "Journal of Business and Economic Statistics", "36(4):672–683"),
        _work("rao1948", "Rao, C. R.", 1948, "Large sample tests of statistical hypotheses concerning several parameters with applications to problems of estimation", "Mathematical Proceedings of the Cambridge Philosophical Society", "44(1):50–57"),
        _work("rao1988", "Rao, J. N. K.; Wu, C. F. J.", 1988, "Resampling inference with complex survey data", ASSOCIATION, "83(401):231–241"),
        _work("rijsbergen1979", "van Rijsbergen, C. J.", 1979, "Information Retrieval", "Butterworths", kind="book", edition="second"),
        _work("schuirmann1987", "Schuirmann, D. J.", 1987, "A comparison of the two one-sided tests procedure and the power approach for assessing the equivalence of average bioavailability", "Journal of Pharmacokinetics and Biopharmaceutics", "15(6):657–680"),
        _work("student1908", "Student", 1908, "The probable error of a mean", "Biometrika", "6(1):1–25"),
        _work("sun2014", "Sun, X.; Xu, W.", 2014, "Fast implementation of DeLong's algorithm for comparing the areas under correlated receiver operating characteristic curves", "IEEE Signal Processing Letters", "21(11):1389–1393"),
        _work("tango1998", "Tango, T.", 1998, "Equivalence test and confidence interval for the difference in proportions for the paired-sample design", MEDICINE, "17(8):891–908"),
        _work("wilcoxon1945", "Wilcoxon, F.", 1945, "Individual comparisons by ranking methods", "Biometrics Bulletin", "1(6):80–83"),
        _work("wilson1927", "Wilson, E. B.", 1927, "Probable inference, the law of succession, and statistical inference", ASSOCIATION, "22(158):209–212"),
        _work("yang2010", "Yang, Z.; Sun, X.; Hardin, J. W.", 2010, "A note on the tests for clustered matched-pair binary data", "Biometrical Journal", "52(5):638–652"),
        _work("yeh2000", "Yeh, A.", 2000, "More accurate tests for the statistical significance of result differences", "Proceedings of the 18th International Conference on Computational Linguistics (COLING)", kind="inproceedings", pages="947–953"),
        _work("zhu2010", "Zhu, X.", 2010, "Paired t-test", "Lecture notes, CS769, University of Wisconsin-Madison", kind="misc"),
    )
}  # fmt: skip


def cited(reference: str) -> tuple[list[Work], str]:
    """Find the works that the reference of a test or a metric names, in its order; and what names none.

    >>> works, rest = cited("McNemar 1947; mid-p: Fagerland, Lydersen and Laake 2013; my uncle 1999")
    >>> [work.key for work in works], rest
    (['mcnemar1947', 'fagerland2013'], 'my uncle 1999')
    """
    found: list[Work] = []
    rest: list[str] = []
    for part in re.split("; ?", reference):
        known = [work for work in WORKS.values() if re.search(rf"(?<!\w){re.escape(work.label)}(?!\w)", part)]
        found += sorted(known, key=lambda work: part.index(work.label))
        rest += [] if known else [part]
    return list({work.key: work for work in found}.values()), "; ".join(filter(None, rest))


def bibtex(works: list[Work]) -> str:
    """Return the entries of several works, in the order of their keys."""
    return "\n\n".join(work.bibtex() for work in sorted(works, key=lambda work: work.key))
