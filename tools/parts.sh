# Sourced by tools that have parts: their names while they run, and their seconds at the end.
parts=()
part_name="" part_start=0

part() { # part NAME: the next part begins
    if [ -n "$part_name" ]; then parts+=("$(printf '%5d s  %s' $((SECONDS - part_start)) "$part_name")"); fi
    part_name=$1 part_start=$SECONDS
    if [ -n "$part_name" ]; then echo "$(basename "$0"): $part_name"; fi
}

list_parts() { # the last part has ended: print the seconds of all
    part ""
    printf '%s\n' "${parts[@]}" "$(printf '%5d s  in all' "$SECONDS")"
}
