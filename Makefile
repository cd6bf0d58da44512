# Every target is a script in Scripts/; `make help` lists them.

.PHONY: help demo test test-long check test-tsan test-asan soak test-backends attacks fuzz simulate check-apple release check-leaks install uninstall bench bench-instructions bench-peers docs format clean

help:
	@echo "make demo        the whole story in half a minute, on a real server       (ARGS=--plain for plain lines)"
	@echo "make test        format, house rules, build, tests, real backends, consumer, README, demo  (what CI runs)"
	@echo "make test-long   everything that takes long, for a night; a step that passed is skipped on a rerun  (ARGS='STEP...', ARGS=--list)"
	@echo "make check       the same, without installing what is missing"
	@echo "make test-tsan   the tests under ThreadSanitizer"
	@echo "make test-asan   the tests under AddressSanitizer"
	@echo "make soak        two servers and 2,000 sessions for two hours, with faults; memory and descriptors must stay flat (ARGS='--minutes 10')"
	@echo "make check-leaks whether sessions leave memory behind in the app or the server; takes liblsan"
	@echo "make test-backends   the SDK against backends, and our server against OAuth clients, that others wrote"
	@echo "make attacks     attacks on the real server, one line each                 (ARGS=FILTER)"
	@echo "make fuzz        every parser of bytes from outside, MINUTES for each target   (MINUTES=1)"
	@echo "make simulate    the real client and server through random histories        (SEEDS=10000)"
	@echo "make check-apple what only Apple's systems compile, type-checked against stub modules"
	@echo "make release     the server and tool as they are to be deployed; prints where the program lies"
	@echo "make install     builds that, and puts program, manual pages and completions into PREFIX (PREFIX=/usr/local); DESTDIR is honoured"
	@echo "make uninstall   removes them again                                       (PREFIX=/usr/local)"
	@echo "make bench       what a refresh, a verified GET and the SDK cost here     (ARGS='--seconds 10 --json out.json')"
	@echo "make bench-instructions  the instructions that a request takes in the server, and those that the SDK adds; and whether they became more"
	@echo "make bench-peers the same beside the servers that people would pick instead  (ARGS=--install the first time)"
	@echo "make docs        the SDK's documentation, as a web page"
	@echo "make format      rewrites every Swift file in the house format"
	@echo "make clean       removes what the builds left"

demo:
	@Scripts/bootstrap
	@Scripts/demo $(ARGS)

test:
	@Scripts/bootstrap
	@Scripts/check

check:
	@Scripts/check

test-long:
	@Scripts/bootstrap
	@Scripts/test-long $(ARGS)

test-tsan:
	@Scripts/bootstrap
	@Scripts/test-tsan $(ARGS)

test-asan:
	@Scripts/bootstrap
	@Scripts/test-asan $(ARGS)

soak:
	@Scripts/bootstrap
	@Scripts/soak $(ARGS)

check-leaks:
	@Scripts/check-leaks

test-backends:
	@Scripts/bootstrap
	@Scripts/test-backends $(ARGS)

attacks:
	@Scripts/bootstrap
	@Scripts/attacks $(ARGS)

simulate:
	@swift run --scratch-path .build-simulator -c release freshet-simulator --histories $(or $(SEEDS),10000)

fuzz:
	@Scripts/fuzz --minutes $(or $(MINUTES),1)

check-apple:
	@Scripts/check-apple

release:
	@Scripts/bootstrap >&2
	@Scripts/release

install:
	@Scripts/install $(PREFIX)

uninstall:
	@Scripts/install --remove $(PREFIX)

bench-instructions:
	@Scripts/bench-server-instructions $(ARGS)
	@Scripts/bench-instructions $(ARGS)

bench-peers:
	@Scripts/bench-peers $(ARGS)

bench:
	@Scripts/bootstrap
	@Scripts/bench $(ARGS)

docs:
	@Scripts/docs

format:
	@Scripts/format

clean:
	@Scripts/clean
