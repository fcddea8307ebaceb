# Sourced by tools that pass options on to cubeswe.

# output_of DEFAULT OPTION...: sets `output` to the folder of the last --output among the options, in each of its
# spellings, or to DEFAULT.
output_of() {
    output=$1
    while shift && [ $# -gt 0 ]; do
        case $1 in
        --ou*=*) output=${1#*=} ;;
        -o | --ou*) output=${2:-} ;;
        -o*) output=${1#-o} ;;
        esac
    done
}
