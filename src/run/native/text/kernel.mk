# CC, CFLAGS, LDFLAGS, BLAS, PREFIX and DESTDIR are yours. `make debug` builds a command that says who waits for what
# where nobody can go on.
CC ?= cc
AR ?= ar
CFLAGS ?= -O3
BLAS ?= -lopenblas
PREFIX ?= /usr/local

# With these every compiler gives the same bits: a product and a sum are rounded one after the other, and functions of
# the C library are called where they stand. None of the others changes a bit.
BITS := FLAGS_FOR_BITS
OWN := -std=c11 -Wall -Wextra -pthread -fno-math-errno -fno-trapping-math $(BITS)
HEADERS := $(wildcard *.h)

all: KERNEL libKERNEL.a KERNEL.pc

KERNEL: main.o libKERNEL.a
	$(CC) -pthread $(CFLAGS) $(LDFLAGS) $^ -o $@ $(BLAS) -lm

libKERNEL.a: KERNEL.o
	$(AR) rcs $@ $^

%.o: %.c $(HEADERS) Makefile
	$(CC) $(CFLAGS) $(OWN) -c $< -o $@

debug: KERNEL-debug

KERNEL-debug: KERNEL.c main.c $(HEADERS) Makefile
	$(CC) $(CFLAGS) -g $(OWN) -DSYSTOLE_WATCHDOG $(LDFLAGS) KERNEL.c main.c -o $@ $(BLAS) -lm

# Anew each time: the prefix may be another one.
KERNEL.pc: KERNEL.pc.in always
	sed 's|@PREFIX@|$(PREFIX)|; s|@BLAS@|$(BLAS)|' $< > $@

install: libKERNEL.a KERNEL.pc
	install -d $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 KERNEL.h $(DESTDIR)$(PREFIX)/include
	install -m 644 libKERNEL.a $(DESTDIR)$(PREFIX)/lib
	install -m 644 KERNEL.pc $(DESTDIR)$(PREFIX)/lib/pkgconfig

clean:
	rm -f KERNEL KERNEL-debug *.o libKERNEL.a KERNEL.pc

always:

.PHONY: always all debug install clean
