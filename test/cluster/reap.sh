# Ends a cluster once nobody owns it any more, then exits. Usage: sh -c "$(cat reap.sh)" reap <folder> <mark>
#
# The owner holds a lock on the folder's file "owner" for as long as it lives; no such file means that the cluster was
# handed over to nobody in particular (it is persistent). The mark is an environment variable, NAME=value, that all
# processes of the cluster inherited and nobody else has. It is looked up again until none is left, since a process
# may just have been starting another one. A zombie has no environment any more.
folder=$1
mark=$2

if ! (flock 9) 9<"$folder/owner"; then
	[ ! -e "$folder/owner" ]
	exit
fi
[ -e "$folder/owner" ] || exit 0

for _ in $(seq 100); do
	pids=$(grep -lszxF -e "$mark" /proc/[0-9]*/environ | cut -d/ -f3)
	[ -n "$pids" ] || break
	kill -KILL $pids 2>/dev/null
	sleep 0.05
done
rm -rf "$folder"
[ -z "$pids" ]
