# Sourced by nsys-profile and ncu-profile: their messages, the case, and the run that is profiled.
tool=$(basename "$0")
cubeswe=${CUBESWE:-$(cd "$(dirname "$0")/.." && pwd)/build/release/cubeswe}

# fail CODE MESSAGE. Codes as those of cubeswe: 64 wrong usage, 66 an input is missing, 69 a program is
# missing, 70 nothing was recorded, 73 an output cannot be created.
fail() {
    printf '%s: %s\n' "$tool" "$2" >&2
    exit "$1"
}

# take_case SUFFIX CASE.yaml [OPTION...]: the case and the options of the run, which stay as they are;
# sets what of them we need to know ourselves.
take_case() {
    local suffix=$1 option
    [ $# -gt 1 ] || fail 64 "no case file given (see --help)"
    case_file=$2
    shift 2
    case $case_file in -*) fail 64 "$case_file: no such option (see --help)" ;; esac
    [ -f "$case_file" ] || fail 66 "$case_file: no such case file"
    run_options=("$@")
    output=$(basename "$case_file")
    output=output/${output%.*}_$suffix
    backend=auto
    overwrite=no
    local has_output=no
    while [ $# -gt 0 ]; do
        option=$1
        case $option in
        --output | --backend | --set | --threads)
            [ $# -gt 1 ] || fail 64 "$option: needs a value"
            shift
            ;;
        esac
        case $option in
        --output) output=$1 has_output=yes ;;
        --output=*) output=${option#*=} has_output=yes ;;
        --backend) backend=$1 ;;
        --backend=*) backend=${option#*=} ;;
        --overwrite) overwrite=yes ;;
        --dry-run) fail 64 "--dry-run goes before the case file" ;;
        --profile | --profile=*) fail 64 "$option: $tool chooses the mode itself" ;;
        esac
        shift
    done
    [ "$has_output" = yes ] || run_options+=(--output "$output")
    report=$output/profile/$suffix
    run=("$cubeswe" run "$case_file" "${run_options[@]}" --profile=nsys) # the last mode counts
}

# need_programs NAME WHERE: the profiler and cubeswe are there.
need_programs() {
    command -v "$1" >/dev/null || fail 69 "$1 is not installed: $2"
    [ -x "$cubeswe" ] || fail 69 "$cubeswe: no such program: build it (tools/quickstart) or name it in CUBESWE"
}

# make_room FILE: its folder, and that it is not there unless it may be replaced.
make_room() {
    if [ -e "$1" ]; then
        [ "$overwrite" = yes ] || fail 73 "$1: exists already (--overwrite replaces it)"
        rm -f "$1" || fail 73 "$1: cannot be replaced"
    fi
    mkdir -p "$(dirname "$1")" || fail 73 "$(dirname "$1"): cannot be created"
}

# show COMMAND...: as it could be typed.
show() {
    local line
    printf -v line '%q ' "$@"
    printf '%s\n' "${line% }"
}
