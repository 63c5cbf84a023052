#!/bin/sh
# as-container.sh ROOT IMAGE NODE COMMAND…: in a mount namespace of one's own (unshare --mount), COMMAND as a container of the
# image would run it: user 1000, no capability, the files of IMAGE in /roundhouse, everything read-only but /tmp and
# /var/lib/roundhouse. The libraries of the system are this machine's; NODE is /node there.
set -e
root=$1 image=$2 node=$3
shift 3
mount -t tmpfs -o mode=755 none "$root"
cd "$root"
mkdir -p usr etc proc dev tmp roundhouse var/lib/roundhouse
for name in bin sbin lib lib64; do
  if [ -L "/$name" ]; then cp -P "/$name" "$name"; else mkdir "$name" && mount --bind -o ro "/$name" "$name"; fi
done
for name in usr etc; do mount --bind "/$name" "$name" && mount -o remount,bind,ro "$name"; done
mount --rbind /proc proc
mount --rbind /dev dev
touch node
mount --bind "$node" node
mount --bind "$image" roundhouse
mount -o remount,bind,ro roundhouse
mount -t tmpfs -o mode=1777 none tmp
mount -t tmpfs -o mode=700,uid=1000,gid=1000 none var/lib/roundhouse
mount -o remount,ro "$root"
exec chroot . setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
  env -C /roundhouse "$@"
