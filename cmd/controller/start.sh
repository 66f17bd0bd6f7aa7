#!/bin/sh
# Runs the controller in its own directory, where it looks for its configuration. Arguments are passed on.
set -eu
cd "$(dirname "$0")"
exec ./frameworkcontroller "$@"
