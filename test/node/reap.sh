# Removes cgroups, and those in them, once nobody owns them any more. Usage: sh -c "$(cat reap.sh)" reap <folder>...
#
# The owner holds the other end of the pipe that is the standard input, and never writes. The kernel closes it when the
# owner ends, however that happens. The processes in the cgroups may take a moment to end too.
cat >/dev/null

for _ in $(seq 100); do
	left=
	for cgroup; do
		find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null
		[ ! -d "$cgroup" ] || left=yes
	done
	[ -n "$left" ] || exit 0
	sleep 0.1
done
exit 1
