# Sourced by nsys-profile and ncu-profile: their messages, the case, and the run that is profiled.
tool=$(basename "$0")
root=$(cd "$(dirname "$0")/.." && pwd)
cubeswe=${CUBESWE:-$root/build/release/cubeswe}
. "$root/tools/output-of.sh"

# fail CODE MESSAGE. Codes as in cubeswe: 64 wrong usage, 66 an input is missing, 69 a program is
# missing, 70 nothing was recorded, 73 an output cannot be created.
fail() {
    printf '%s: %s\n' "$tool" "$2" >&2
    exit "$1"
}

# take_case SUFFIX CASE [OPTION...]: the case and the options of the run, which stay as they are;
# sets what of them we need to know ourselves.
take_case() {
    local suffix=$1 option value
    [ $# -gt 1 ] || fail 64 "no case file given (see --help)"
    case_file=$2
    shift 2
    case $case_file in -*) fail 64 "$case_file: no such option (see --help)" ;; esac
    # a file, or the name of a ready case, which cubeswe looks for in these folders
    [[ -f $case_file || $case_file != */* && (-f $case_file.yaml || -f config/$case_file.yaml || -f $root/config/$case_file.yaml) ]] ||
        fail 66 "$case_file: no such file, and no ready case of this name"
    run_options=("$@")
    output_of "" "$@"
    if [ -z "$output" ]; then
        output=$(basename "$case_file")
        output=output/${output%.*}_$suffix
        run_options+=(--output "$output")
    fi
    backend=auto
    overwrite=no
    while [ $# -gt 0 ]; do
        option=$1 value=${1#*=}
        case $option in
        *=*) ;;
        -o | --ou* | --b* | --se* | --t* | --r* | --m*) # cubeswe takes names cut short, too
            [ $# -gt 1 ] || fail 64 "$option: needs a value"
            value=$2
            shift
            ;;
        esac
        case $option in
        --b*) backend=$value ;;
        --ov*) overwrite=yes ;;
        --d*) fail 64 "--dry-run goes before the case file" ;;
        --p*) fail 64 "$option: $tool chooses the mode itself" ;;
        --se*) [[ $value != profile.mode=* ]] || fail 64 "--set $value: $tool chooses the mode itself" ;;
        esac
        shift
    done
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
