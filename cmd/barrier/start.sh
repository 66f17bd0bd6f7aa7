#!/bin/sh
# Runs the barrier that lies beside this script, and hands its files over to the application, through a volume that is
# mounted at /mnt/frameworkbarrier in both containers (BARRIER_OUTPUT_DIR names another folder). If the barrier fails,
# nothing is handed over, and its exit code is that of the container.
set -u

# As process 1 of a container, a shell drops each signal that it has no trap for. So the traps are there before the barrier
# is, and the barrier gets a signal that came before it. It gets the signal twice, for a child that is still a copy of this
# shell loses it.
pid= signal=
pass_on() {
	signal=$1
	[ -n "$pid" ] || return
	kill -s "$signal" "$pid"
	(sleep 1 && kill -s "$signal" "$pid") >/dev/null 2>&1 &
}
trap 'pass_on TERM' TERM
trap 'pass_on INT' INT

cd "$(dirname "$0")" || exit 1
barrier=$PWD/frameworkbarrier
output=${BARRIER_OUTPUT_DIR:-/mnt/frameworkbarrier}
mkdir -p "$output" || exit 1

# The barrier writes into its work dir. With a read-only root filesystem that is the volume itself. It is tried, for
# test -w of some shells goes by the mode of the folder alone.
if (: >.can-be-written) 2>/dev/null; then
	rm -f .can-be-written
else
	cd "$output" || exit 1
fi

"$barrier" "$@" &
pid=$!
[ -z "$signal" ] || pass_on "$signal"
wait "$pid"
code=$?
while kill -0 "$pid" 2>/dev/null; do # a signal came between
	wait "$pid"
	code=$?
done
[ "$code" -eq 0 ] || exit "$code"
[ "$(pwd -P)" != "$(cd "$output" && pwd -P)" ] || exit 0

# Under another name first, so that a file is there only when it is complete.
for file in framework.json peers.json hosts hostfile injector.sh; do
	cp -p "$file" "$output/.$file.new" && mv "$output/.$file.new" "$output/$file" || exit 1
done
