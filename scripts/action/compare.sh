# Compares, writes the summary of the job, and says how it went in the step's outputs; the last step decides.
# DATA has a file on each line, ARGUMENTS the options as a shell has them: they are taken apart, and never run.
set -uo pipefail

folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/referee.XXXXXX")
words=()
while IFS= read -r file; do
  if [ -n "$file" ]; then words+=("$file"); fi
done <<< "$DATA"

code=0 why=""
if python -c 'import os, shlex, sys; sys.stdout.write("".join(one + "\0" for one in shlex.split(os.environ["ARGUMENTS"])))' \
  > "$folder/arguments" 2> "$folder/unread"; then
  while IFS= read -r -d '' word; do words+=("$word"); done < "$folder/arguments"
  referee compare "${words[@]}" --gate --quiet --format markdown --output "$folder/verdict.md" --html "$folder/report.html" \
    2> "$folder/stderr" || code=$?
  cat "$folder/stderr" >&2
else
  code=2 why="the arguments are not quoted as in a shell: $(tail -n 1 "$folder/unread" | sed 's/^[A-Za-z]*Error: //')"
  echo "$why" >&2
fi
# Arguments such as -h end with 0 and compare nothing; a gate needs a result.
case $code in
  0 | 1 | 3)
    if ! [ -s "$folder/verdict.md" ]; then
      code=2 why="the arguments made no comparison; leave out -h and the like"
      echo "$why" >&2
    fi ;;
esac
case $code in
  0) verdict=pass ;;
  1) verdict=worse ;;
  3) verdict="cannot tell" ;;
  *)
    verdict=error
    if [ -z "$why" ]; then why=$(grep '^referee: ' "$folder/stderr" | tail -n 1 | cut -c 10-); fi
    if [ -z "$why" ]; then why="referee ended with exit code $code"; fi
    printf '**The comparison could not be made:**\n\n    %s\n' "$why" > "$folder/verdict.md" ;;
esac
# upload-artifact refuses some characters; what two titles share without them is told apart by a checksum.
artifact=$(printf %s "${TITLE:-referee}" | tr '":<>|*?\\/\r\n' '-')
if [ "$artifact" != "${TITLE:-referee}" ]; then artifact="$artifact-$(printf %s "$TITLE" | cksum | cut -d ' ' -f 1)"; fi
{
  echo "exit-code=$code"
  echo "verdict=$verdict"
  echo "artifact=$artifact"
  echo "markdown=$folder/verdict.md"
  if [ -s "$folder/report.html" ]; then echo "report=$folder/report.html"; fi
} >> "$GITHUB_OUTPUT"
{ printf '### %s\n\n' "$TITLE"; cat "$folder/verdict.md"; } >> "$GITHUB_STEP_SUMMARY"
exit 0
