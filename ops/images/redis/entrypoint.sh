#!/bin/sh
set -e
if [ "$1" = redis-server ]; then
  # Nothing is protected by loopback alone in a container.
  set -- "$@" --protected-mode no --bind '*'
fi
if [ "$1" = redis-server ] && [ "$(id -u)" = 0 ]; then
  chown -R redis .
  exec setpriv --reuid redis --regid redis --clear-groups "$@"
fi
exec "$@"
