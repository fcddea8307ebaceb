# Sourced by tools that build: takes --cpu or --cuda, if it is the first argument, and sets cuda_options for CMake.
# --cpu builds no CUDA backend; --cuda builds it for all architectures. Without either, where a GPU works, it is
# built for that GPU alone; where none does, for the architectures `without_gpu`, or not at all where this is empty.
cuda_options=()
case ${1:-} in
--cpu | --cuda)
    cuda_options=(-DCUBESWE_CUDA="$([ "$1" = --cuda ] && echo ON || echo OFF)" -DCMAKE_CUDA_ARCHITECTURES=)
    shift
    ;;
*)
    # compute capabilities of the GPUs that are there, such as 9.0, as CMake names them
    architectures=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
        sed -nE 's/^([0-9]+)\.([0-9]+)$/\1\2-real/p' | sort -u | paste -sd ';') || true
    if [ -n "$architectures" ]; then
        echo "cuda: built for the GPU of this machine ($architectures)"
        cuda_options=(-DCUBESWE_CUDA=ON "-DCMAKE_CUDA_ARCHITECTURES=$architectures")
    else
        cuda_options=(-DCUBESWE_CUDA="$([ -n "$without_gpu" ] && echo ON || echo OFF)" "-DCMAKE_CUDA_ARCHITECTURES=$without_gpu")
    fi
    ;;
esac
