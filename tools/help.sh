# Sourced by tools: with --help, print the comment that the tool begins with, and end.
case ${1:-} in
--help | -h)
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
