#!/bin/sh
# Stands where the Python backend looks for its stub, and runs that of the Python that the engine found.
# The backend asks first whether there is a stub, by running it without arguments: 1 means yes. A stub must not
# keep the engine's standard error, which is a pipe while a model loads.
[ $# -eq 0 ] && exit 1
export PATH="$RH_PYTHON_PROGRAMS:$PATH"
if [ -n "$RH_PYTHON_LIBRARIES" ]; then
  export LD_LIBRARY_PATH="$RH_PYTHON_LIBRARIES${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
exec "$RH_PYTHON_STUB" "$@" </dev/null >>"$RH_PYTHON_OUTPUT" 2>&1
