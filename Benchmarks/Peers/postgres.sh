#!/bin/bash
# A PostgreSQL of the benchmark's own, in $WORK/pg on 127.0.0.1:$PGPORT, without passwords and run by the user postgres.
#   WORK=.work PGPORT=55439 ./postgres.sh start|stop
set -euo pipefail
data=$WORK/pg/data bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
as_postgres() { (cd / && runuser -u postgres -- "$@"); }
case $1 in
start)
  if [ ! -d "$data" ]; then
    install -d -o postgres "$WORK/pg"
    as_postgres "$bin/initdb" -D "$data" -A trust -U bench --no-locale -E UTF8 >/dev/null
  fi
  options="-p $PGPORT -c listen_addresses=127.0.0.1 -k $WORK/pg -c shared_buffers=512MB -c max_connections=200 -c max_wal_size=4GB"
  as_postgres "$bin/pg_ctl" -D "$data" -l "$WORK/pg/log" -o "$options" -w start >/dev/null
  for database in django fastapi go rust pgb freshet; do
    "$bin/createdb" -h 127.0.0.1 -p "$PGPORT" -U bench $database 2>/dev/null || true
  done ;;
stop) as_postgres "$bin/pg_ctl" -D "$data" -m fast -w stop >/dev/null ;;
*) echo "postgres.sh: start or stop?" >&2; exit 64 ;;
esac
