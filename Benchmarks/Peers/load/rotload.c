// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// rotload: closed-loop HTTP/1.1 load client for token servers. One thread, epoll, keep-alive.
// Each session keeps its own token pair; a refresh sends the token the previous response returned (real
// rotation) and stores the new one, so a server that doesn't rotate, or that accepts a stale token, shows.
//
//   rotload --desc d.json --base http://127.0.0.1:8080 --op login|refresh|protected
//           [-c CONNS] [-d SECS] [-w WARMUP_SECS] [-s SESSIONS] [--users N] [--load F] [--save F]
//           [--pids P1,P2 (server roots: their CPU time and memory, children included)] [--name N] [--replay]
//
// The description names the endpoints; {i} session number, {user} session number modulo --users, {access},
// {refresh}, {refresh:url} (percent-encoded), {intent} (22 characters of base64url, new each time) are replaced in path, body and header values:
//   {"login":   {"method":"POST","path":"/login","body":"{\"username\":\"user{user}\",\"password\":\"pw\"}",
//                "headers":{"Content-Type":"application/json"}, "access":"access_token","refresh":"refresh_token"},
//    "refresh": {... same fields ...},
//    "protected": {"method":"GET","path":"/me","headers":{"Authorization":"Bearer {access}"}}}
// "access"/"refresh" name a string field of the response's JSON at any depth, or "cookie:NAME". "status": expected
// status (default 200).
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void die(const char *f, ...) { va_list a; va_start(a, f); vfprintf(stderr, f, a); va_end(a); fputc('\n', stderr); exit(2); }
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }

// ---- description: JSON flattened to dotted keys ----
static struct { char *k, *v; } kv[256]; static int nkv;
static const char *jp;
static void ws(void) { while (isspace((unsigned char)*jp)) jp++; }
static char *jstr(void) {
  if (*jp++ != '"') die("description: string expected near: %.20s", jp);
  char *o = malloc(strlen(jp) + 1), *w = o;
  while (*jp && *jp != '"') {
    if (*jp == '\\') { jp++; *w++ = *jp == 'n' ? '\n' : *jp == 't' ? '\t' : *jp; jp++; } else *w++ = *jp++;
  }
  if (!*jp) die("description: string not closed");
  jp++; *w = 0; return o;
}
static void jval(const char *pre) {
  ws();
  if (*jp == '{') {
    jp++; ws();
    while (*jp != '}') {
      ws(); char *k = jstr(), p[512]; snprintf(p, sizeof p, "%s%s%s", pre, *pre ? "." : "", k); ws();
      if (*jp++ != ':') die("description: ':' expected");
      jval(p); ws(); if (*jp == ',') jp++; else if (*jp != '}') die("description: ',' or '}' expected near: %.20s", jp);
    }
    jp++; return;
  }
  if (nkv == 256) die("description too large");
  kv[nkv].k = strdup(pre);
  if (*jp == '"') kv[nkv++].v = jstr();
  else { const char *s = jp; while (*jp && !strchr(",}] \n\r\t", *jp)) jp++; kv[nkv++].v = strndup(s, jp - s); }
}
static const char *get(const char *op, const char *f, const char *dflt) {
  char p[512]; snprintf(p, sizeof p, "%s.%s", op, f);
  for (int i = 0; i < nkv; i++) if (!strcmp(kv[i].k, p)) return kv[i].v;
  return dflt;
}

// ---- sessions ----
typedef struct { char *access, *refresh, *prev; uint8_t dead; } Sess;
static Sess *S; static int nS, users = 1 << 30;

typedef struct { const char *method, *path, *body, *af, *rf; char *hdr; int status; } Op;
static char host[64]; static int port; static char basepath[256];
static Op mkop(const char *n) {
  Op o = { get(n, "method", NULL), get(n, "path", NULL), get(n, "body", NULL), get(n, "access", NULL), get(n, "refresh", NULL), NULL, atoi(get(n, "status", "200")) };
  if (!o.path) die("the description has no %s.path", n);
  if (!o.method) o.method = o.body ? "POST" : "GET";
  size_t cap = 8192, l = 0; o.hdr = malloc(cap); o.hdr[0] = 0; char p[512]; int pl = snprintf(p, sizeof p, "%s.headers.", n);
  for (int i = 0; i < nkv; i++) if (!strncmp(kv[i].k, p, pl)) l += snprintf(o.hdr + l, cap - l, "%s: %s\r\n", kv[i].k + pl, kv[i].v);
  return o;
}
static const char B64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static uint64_t rnd(void) { static uint64_t x; if (!x) x = (uint64_t)(now() * 1e9) ^ getpid(); x ^= x << 13; x ^= x >> 7; return x ^= x << 17; }
static char *subst(char *w, char *end, const char *t, int si) {
  Sess *s = &S[si];
  while (*t && w < end - 16) {
    if (*t != '{') { *w++ = *t++; continue; }
    const char *v = NULL; char num[32]; int url = 0; size_t skip = 0;
    if (!strncmp(t, "{i}", 3)) { snprintf(num, 32, "%d", si); v = num; skip = 3; }
    else if (!strncmp(t, "{user}", 6)) { snprintf(num, 32, "%d", si % users); v = num; skip = 6; }
    else if (!strncmp(t, "{access}", 8)) { v = s->access ? s->access : ""; skip = 8; }
    else if (!strncmp(t, "{refresh}", 9)) { v = s->refresh ? s->refresh : ""; skip = 9; }
    else if (!strncmp(t, "{refresh:url}", 13)) { v = s->refresh ? s->refresh : ""; skip = 13; url = 1; }
    else if (!strncmp(t, "{intent}", 8)) { for (int k = 0; k < 21; k++) num[k] = B64[(rnd() >> 33) & 63]; num[21] = 'A'; num[22] = 0; v = num; skip = 8; } // 128 bits: the last character has two of them
    if (!v) { *w++ = *t++; continue; }
    t += skip;
    for (; *v && w < end - 4; v++) {
      if (url && !isalnum((unsigned char)*v) && !strchr("-_.~", *v)) w += sprintf(w, "%%%02X", (unsigned char)*v); else *w++ = *v;
    }
  }
  *w = 0; return w;
}
static int build(Op *o, int si, char *buf, size_t cap) {
  char body[16384]; size_t bl = o->body ? (size_t)(subst(body, body + sizeof body, o->body, si) - body) : 0;
  char *w = buf, *e = buf + cap; w += sprintf(w, "%s %s", o->method, basepath);
  w = subst(w, e, o->path, si); w += sprintf(w, " HTTP/1.1\r\nHost: %s:%d\r\n", host, port);
  w = subst(w, e, o->hdr, si);
  if (o->body) w += sprintf(w, "Content-Length: %zu\r\n", bl);
  w += sprintf(w, "\r\n");
  if (o->body) { memcpy(w, body, bl); w += bl; }
  return w - buf;
}
static char *field(const char *h, const char *hend, const char *b, const char *bend, const char *f) {
  if (!strncmp(f, "cookie:", 7)) {
    size_t fl = strlen(f + 7);
    for (const char *p = h; (p = memmem(p, hend - p, "\n", 1)); ) {
      p++;
      if (hend - p > 11 && !strncasecmp(p, "set-cookie:", 11)) {
        p += 11; while (*p == ' ') p++;
        if (!strncmp(p, f + 7, fl) && p[fl] == '=') { p += fl + 1; const char *q = p; while (q < hend && *q != ';' && *q != '\r') q++; return strndup(p, q - p); }
      }
    }
    return NULL;
  }
  char k[128]; int kl = snprintf(k, sizeof k, "\"%s\"", f);
  for (const char *p = b; (p = memmem(p, bend - p, k, kl)); ) {
    p += kl; while (p < bend && isspace((unsigned char)*p)) p++;
    if (p >= bend || *p != ':') continue;
    p++; while (p < bend && isspace((unsigned char)*p)) p++;
    if (p >= bend || *p != '"') continue;
    p++; char *o = malloc(bend - p + 1), *w = o;
    while (p < bend && *p != '"') { if (*p == '\\') p++; *w++ = *p++; }
    *w = 0; return o;
  }
  return NULL;
}

// ---- CPU and memory of the server's process trees ----
typedef struct { double u, s; long pss_kb; int n; } Use;
static int roots[32], nroots;
static Use usage(int mem) {
  static int pid[65536], ppid[65536]; static double U[65536], K[65536]; int n = 0; double hz = sysconf(_SC_CLK_TCK);
  DIR *d = opendir("/proc"); struct dirent *e;
  while ((e = readdir(d)) && n < 65536) {
    if (!isdigit((unsigned char)e->d_name[0])) continue;
    char p[300], b[2048]; snprintf(p, sizeof p, "/proc/%s/stat", e->d_name);
    int f = open(p, O_RDONLY); if (f < 0) continue; int l = read(f, b, sizeof b - 1); close(f); if (l <= 0) continue; b[l] = 0;
    char *q = strrchr(b, ')'); if (!q) continue;
    char st; int pp; unsigned long ut, kt; long cu, ck;
    if (sscanf(q + 2, "%c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &st, &pp, &ut, &kt, &cu, &ck) != 6) continue;
    pid[n] = atoi(e->d_name); ppid[n] = pp; U[n] = (ut + cu) / hz; K[n] = (kt + ck) / hz; n++;
  }
  closedir(d);
  static uint8_t in[65536]; memset(in, 0, n);
  for (int i = 0; i < n; i++) for (int r = 0; r < nroots; r++) if (pid[i] == roots[r]) in[i] = 1;
  for (int ch = 1; ch; ) { ch = 0; for (int i = 0; i < n; i++) if (!in[i]) for (int j = 0; j < n; j++) if (in[j] && ppid[i] == pid[j]) { in[i] = 1; ch = 1; break; } }
  Use z = {0};
  for (int i = 0; i < n; i++) if (in[i]) {
    z.u += U[i]; z.s += K[i]; z.n++;
    if (mem) { char p[64], b[256]; snprintf(p, sizeof p, "/proc/%d/smaps_rollup", pid[i]); FILE *f = fopen(p, "r"); if (f) { while (fgets(b, sizeof b, f)) { long kb; if (sscanf(b, "Pss: %ld", &kb) == 1) z.pss_kb += kb; } fclose(f); } }
  }
  return z;
}

// ---- connections ----
typedef struct { int fd, si, step, first, olen, opos, used; size_t ilen, icap; char *in; char out[20480]; double t0; } Conn;
static Conn *C; static int nC, ep; static Op op; static int oplogin, oprefresh;
static uint32_t *lat; static size_t nlat, clat; static long nerr, nunrot, nreconn; static int statuses[600];
static int measuring, stopping; static long done_total, todo = -1;
static struct sockaddr_in addr;

static void openc(Conn *c) {
  c->fd = socket(AF_INET, SOCK_STREAM, 0); int one = 1; setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(c->fd, (void *)&addr, sizeof addr)) die("connect %s:%d: %s", host, port, strerror(errno));
  fcntl(c->fd, F_SETFL, O_NONBLOCK); struct epoll_event ev = { EPOLLIN, { .ptr = c } }; epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &ev); c->ilen = 0; c->used = 0;
}
static void reopen(Conn *c) { close(c->fd); openc(c); nreconn++; }
static void flushc(Conn *c) {
  while (c->opos < c->olen) {
    ssize_t r = send(c->fd, c->out + c->opos, c->olen - c->opos, MSG_NOSIGNAL);
    if (r > 0) { c->opos += r; continue; }
    if (errno == EAGAIN) { struct epoll_event ev = { EPOLLIN | EPOLLOUT, { .ptr = c } }; epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &ev); return; }
    reopen(c); c->opos = 0; // a keep-alive connection that the server closed meanwhile
  }
}
static int idle, fresh = -1; // fresh: the next session to log in, shared by the connections
static void next(Conn *c) {
  if (stopping || todo == 0) { c->si = -1; idle++; return; }
  if (fresh >= 0) { c->si = fresh++; todo--; goto go; }
  int tries = 0; // this connection's sessions: first, first+nC, first+2nC ...
  do { c->si = c->first + c->step; c->step += nC; if (c->first + c->step >= nS) c->step = 0; } while (S[c->si].dead && ++tries < nS / nC + 1);
  if (S[c->si].dead) { c->si = -1; idle++; return; }
  if (todo > 0) todo--;
go:
  c->olen = build(&op, c->si, c->out, sizeof c->out); c->opos = 0; c->ilen = 0; c->t0 = now(); flushc(c);
}
static char *ci(char *h, char *e, const char *k) { size_t l = strlen(k); for (char *p = h; p + l < e; p++) if (*p == '\n' && !strncasecmp(p + 1, k, l)) return p + 1 + l; return NULL; }
// 1 = a whole response handled
static int parse(Conn *c, int eof) {
  c->in[c->ilen] = 0; char *he = memmem(c->in, c->ilen, "\r\n\r\n", 4); if (!he) return 0;
  he += 2; char *b = he + 2, *end = c->in + c->ilen; int st = atoi(c->in + 9); char *v; size_t bl;
  if ((v = ci(c->in, he, "content-length:"))) { bl = strtoul(v, NULL, 10); if ((size_t)(end - b) < bl) return 0; }
  else if ((v = ci(c->in, he, "transfer-encoding:"))) {
    char *p = b, *w = b; // decoded only once the last chunk is here
    for (;;) { char *nl = memmem(p, end - p, "\r\n", 2); if (!nl) return 0; size_t n = strtoul(p, NULL, 16); p = nl + 2; if (!n) { if (end - p < 2) return 0; break; } if ((size_t)(end - p) < n + 2) return 0; p += n + 2; }
    p = b; for (;;) { char *nl = memmem(p, end - p, "\r\n", 2); size_t n = strtoul(p, NULL, 16); p = nl + 2; if (!n) break; memmove(w, p, n); w += n; p += n + 2; }
    bl = w - b;
  } else if (st == 204 || st == 304) bl = 0;
  else if (eof) bl = end - b;
  else return 0;
  double dt = now() - c->t0; Sess *s = &S[c->si]; done_total++;
  if (st > 0 && st < 600 && measuring) statuses[st]++;
  if (st != op.status) { nerr++; if (oprefresh) s->dead = 1; if (nerr <= 2) fprintf(stderr, "rotload: status %d: %.*s\n", st, (int)(bl > 300 ? 300 : bl), b); }
  else {
    if (op.af) { char *x = field(c->in, he, b, b + bl, op.af); if (x) { free(s->access); s->access = x; } else { nerr++; if (nerr <= 2) fprintf(stderr, "rotload: no field %s in: %.*s\n", op.af, (int)(bl > 300 ? 300 : bl), b); } }
    if (op.rf) { char *x = field(c->in, he, b, b + bl, op.rf); if (x) { if (s->refresh && !strcmp(s->refresh, x)) nunrot++; free(s->prev); s->prev = s->refresh; s->refresh = x; } else if (oplogin || oprefresh) { nerr++; } }
    if (measuring) { if (nlat == clat) lat = realloc(lat, (clat = clat ? clat * 2 : 1 << 16) * 4); lat[nlat++] = (uint32_t)(dt * 1e6); }
  }
  int close_it = eof; char *cn = ci(c->in, he, "connection:"); if (cn) { while (*cn == ' ') cn++; if (!strncasecmp(cn, "close", 5)) close_it = 1; }
  c->ilen = 0; c->used = 1; if (close_it) reopen(c);
  return 1;
}
static void pump(double until) {
  struct epoll_event ev[256];
  while (idle < nC) {
    double t = now(); if (!stopping && until > 0 && t >= until) return;
    int n = epoll_wait(ep, ev, 256, 50);
    for (int i = 0; i < n; i++) {
      Conn *c = ev[i].data.ptr;
      if (ev[i].events & EPOLLOUT) { struct epoll_event e2 = { EPOLLIN, { .ptr = c } }; epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e2); flushc(c); }
      if (!(ev[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) continue;
      for (;;) {
        if (c->ilen + 4096 > c->icap) c->in = realloc(c->in, (c->icap = c->icap ? c->icap * 2 : 16384) + 1);
        ssize_t r = recv(c->fd, c->in + c->ilen, c->icap - c->ilen, 0);
        if (r > 0) { c->ilen += r; if (c->si >= 0 && parse(c, 0)) { next(c); break; } if ((size_t)r < c->icap) break; continue; }
        if (r < 0 && errno == EAGAIN) break;
        if (c->si >= 0 && c->ilen && parse(c, 1)) { next(c); break; }
        if (c->si < 0) { struct epoll_event e2 = { 0, { .ptr = c } }; epoll_ctl(ep, EPOLL_CTL_DEL, c->fd, &e2); break; }
        if (!c->used) nerr++;
        reopen(c); c->opos = 0; flushc(c); break;
      }
    }
  }
}
static void startall(void) { idle = 0; for (int i = 0; i < nC; i++) { C[i].first = i; next(&C[i]); } }
static int cmp(const void *a, const void *b) { uint32_t x = *(uint32_t *)a, y = *(uint32_t *)b; return x < y ? -1 : x > y; }

int main(int ac, char **av) {
  const char *desc = 0, *base = 0, *opn = "refresh", *load = 0, *save = 0, *name = "-"; double dur = 5, warm = 1; int conns = 16, want = 0, replay = 0;
  for (int i = 1; i < ac; i++) {
    char *a = av[i];
#define ARG (i + 1 < ac ? av[++i] : (die("%s needs a value", a), ""))
    if (!strcmp(a, "--desc")) desc = ARG; else if (!strcmp(a, "--base")) base = ARG; else if (!strcmp(a, "--op")) opn = ARG;
    else if (!strcmp(a, "-c")) conns = atoi(ARG); else if (!strcmp(a, "-d")) dur = atof(ARG); else if (!strcmp(a, "-w")) warm = atof(ARG);
    else if (!strcmp(a, "-s")) want = atoi(ARG); else if (!strcmp(a, "--users")) users = atoi(ARG); else if (!strcmp(a, "--load")) load = ARG;
    else if (!strcmp(a, "--save")) save = ARG; else if (!strcmp(a, "--name")) name = ARG; else if (!strcmp(a, "--replay")) replay = 1;
    else if (!strcmp(a, "--pids")) { char *t = strdup(ARG); for (char *p = strtok(t, ","); p && nroots < 32; p = strtok(NULL, ",")) roots[nroots++] = atoi(p); }
    else die("unknown argument %s (see the head of rotload.c)", a);
  }
  if (!desc || !base) die("--desc and --base are needed (see the head of rotload.c)");
  FILE *f = fopen(desc, "r"); if (!f) die("%s: %s", desc, strerror(errno)); static char db[65536]; db[fread(db, 1, sizeof db - 1, f)] = 0; fclose(f); jp = db; jval("");
  if (sscanf(base, "http://%63[^:/]:%d%255s", host, &port, basepath) < 2) die("--base must be http://HOST:PORT");
  addr.sin_family = AF_INET; addr.sin_port = htons(port); if (!inet_aton(strcmp(host, "localhost") ? host : "127.0.0.1", &addr.sin_addr)) die("HOST must be an IPv4 address");
  signal(SIGPIPE, SIG_IGN); ep = epoll_create1(0);
  if (load && (f = fopen(load, "r"))) {
    char *l = 0; size_t lc = 0; ssize_t n; int cap = 0;
    while ((n = getline(&l, &lc, f)) > 0 && (!want || nS < want)) { if (l[n - 1] == '\n') l[n - 1] = 0; char *t = strchr(l, '\t'); if (!t) continue; *t = 0; if (nS == cap) S = realloc(S, (cap = cap ? cap * 2 : 1024) * sizeof *S); S[nS++] = (Sess){ strdup(l), strdup(t + 1), 0, 0 }; }
    fclose(f);
  }
  int have = nS; if (!want) want = have ? have : conns; if (want < conns) want = conns;
  if (!have || want > have) { S = realloc(S, want * sizeof *S); memset(S + have, 0, (want - have) * sizeof *S); nS = want; }
  C = calloc(conns, sizeof *C);
  if (have < nS && strcmp(opn, "login")) { // log the missing sessions in, 4 connections
    op = mkop("login"); oplogin = 1; nC = conns < 4 ? conns : 4; for (int i = 0; i < nC; i++) openc(&C[i]);
    double t = now(); todo = nS - have; idle = 0;
    fresh = have; for (int i = 0; i < nC; i++) next(&C[i]);
    pump(0); fprintf(stderr, "rotload: %d logins in %.2f s, errors %ld\n", nS - have, now() - t, nerr);
    for (int i = 0; i < nC; i++) close(C[i].fd);
    int miss = 0; for (int i = 0; i < nS; i++) if (!S[i].access) miss++;
    if (miss) die("rotload: %d sessions without tokens", miss);
    memset(C, 0, conns * sizeof *C); nerr = nunrot = nreconn = 0; done_total = 0; oplogin = 0; todo = fresh = -1;
  }
  op = mkop(opn); oplogin = !strcmp(opn, "login"); oprefresh = !strcmp(opn, "refresh"); nC = conns;
  for (int i = 0; i < nC; i++) openc(&C[i]);
  startall(); double t0 = now(); if (warm > 0) pump(t0 + warm);
  Use u0 = usage(0); struct rusage r0, r1; getrusage(RUSAGE_SELF, &r0); nerr = 0; measuring = 1; double a = now();
  pump(a + dur);
  double b = now(); measuring = 0; getrusage(RUSAGE_SELF, &r1); Use u1 = usage(1);
  stopping = 1; pump(0); // let the answers in flight arrive, so that the saved tokens are the live ones
  qsort(lat, nlat, 4, cmp); double n = nlat ? nlat : 1;
#define Q(p) (nlat ? lat[(size_t)((nlat - 1) * (p))] / 1000.0 : 0)
#define TV(x) ((x).tv_sec + (x).tv_usec * 1e-6)
  double own = (TV(r1.ru_utime) - TV(r0.ru_utime) + TV(r1.ru_stime) - TV(r0.ru_stime)) / n * 1e6;
  printf("%s op=%s c=%d sessions=%d n=%zu rps=%.1f p50_ms=%.3f p99_ms=%.3f max_ms=%.1f srv_cpu_ms=%.4f (u %.4f s %.4f) srv_procs=%d srv_pss_MB=%.0f client_cpu_us=%.1f errors=%ld unrotated=%ld reconnects=%ld\n",
    name, opn, conns, nS, nlat, nlat / (b - a), Q(.5), Q(.99), Q(1.0), (u1.u + u1.s - u0.u - u0.s) / n * 1e3, (u1.u - u0.u) / n * 1e3, (u1.s - u0.s) / n * 1e3, u1.n, u1.pss_kb / 1024.0, own, nerr, nunrot, nreconn);
  long errors = nerr; int total = nS;
  if (replay && S[0].prev && !S[0].dead) { // is the token before the last refused? Is the live one still accepted after that?
    int code[2]; char *live = S[0].refresh; S[0].refresh = S[0].prev; S[0].prev = 0; op = mkop("refresh"); oprefresh = 1;
    int ok = op.status; const char *rf = op.rf, *af = op.af; op.status = -1; nerr = 10; measuring = 1; nS = 1;
    for (int i = 0; i < nC; i++) close(C[i].fd);
    for (int k = 0; k < 2; k++) {
      memset(C, 0, conns * sizeof *C); nC = 1; stopping = 0; S[0].dead = 0; memset(statuses, 0, sizeof statuses);
      if (k) { S[0].refresh = live; op.status = ok; op.rf = rf; op.af = af; } else op.rf = op.af = NULL;
      openc(&C[0]); todo = 1; startall(); pump(0); close(C[0].fd); code[k] = 0;
      for (int i = 0; i < 600; i++) if (statuses[i]) code[k] = i;
    }
    nS = total;
    printf("%s replay: stale token -> %d, then the live token -> %d\n", name, code[0], code[1]);
  }
  if (save && (f = fopen(save, "w"))) { for (int i = 0; i < nS; i++) if (!S[i].dead && S[i].access) fprintf(f, "%s\t%s\n", S[i].access, S[i].refresh ? S[i].refresh : ""); fclose(f); }
  return errors ? 1 : 0;
}
