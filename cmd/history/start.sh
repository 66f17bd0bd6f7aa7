#!/bin/sh
# Runs the history server that lies beside this script. Arguments are passed on; without any, the database is on the volume
# /data.
set -eu
[ $# -gt 0 ] || set -- --database /data/history.db
exec "$(dirname "$0")/history" "$@"
