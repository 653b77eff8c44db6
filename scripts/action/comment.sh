# Posts the result on the pull request; the comment of an earlier run is found by its first line and changed.
set -euo pipefail

# The checksum tells titles apart that differ only in what a mark can't hold.
mark="<!-- referee: $(printf %s "$TITLE" | tr -cd '[:alnum:] ._-') $(printf %s "$TITLE" | cksum | cut -d ' ' -f 1) -->"
body=$(mktemp "${RUNNER_TEMP:-/tmp}/comment.XXXXXX")
errors=$(mktemp "${RUNNER_TEMP:-/tmp}/errors.XXXXXX")
{ printf '%s\n### %s\n\n' "$mark" "$TITLE"; head -c 60000 "$MARKDOWN"; } > "$body"
export mark

# Calls gh. A token that may not comment, as that of a pull request from a fork, is no reason to fail the job.
ask() {
  local code=0
  gh api "$@" 2> "$errors" || code=$?
  if [ "$code" = 0 ]; then return 0; fi
  cat "$errors" >&2
  if grep -q 'HTTP 403' "$errors"; then return 43; fi
  return "$code"
}

post() {
  local earlier
  earlier=$(ask --paginate "repos/$REPOSITORY/issues/$NUMBER/comments" \
    --jq '.[] | select(.body | startswith(env.mark)) | .id') || return
  earlier=${earlier%%$'\n'*}
  if [ -n "$earlier" ]; then
    ask --method PATCH "repos/$REPOSITORY/issues/comments/$earlier" --field "body=@$body" > /dev/null
  else
    ask --method POST "repos/$REPOSITORY/issues/$NUMBER/comments" --field "body=@$body" > /dev/null
  fi
}

code=0
post || code=$?
if [ "$code" = 43 ]; then
  echo "::warning::The token may not comment on this pull request (HTTP 403), as for one from a fork; the result is in the job's summary."
  exit 0
fi
exit "$code"
