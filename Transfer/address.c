/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Ranges of the IANA registries of special-purpose addresses. Of IPv6 only global unicast is public, and of it not the
 * ranges that carry an IPv4 address of their own choice. */

#include "address.h"

#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

struct range4 {
    uint32_t start;
    int bits;
    enum address_kind kind;
};

static const struct range4 ranges4[] = {
    {0x00000000, 8, ADDRESS_PRIVATE},   /* this network; 0.0.0.0 reaches this machine */
    {0x0a000000, 8, ADDRESS_PRIVATE},   /* private */
    {0x64400000, 10, ADDRESS_PRIVATE},  /* carrier-grade NAT */
    {0x7f000000, 8, ADDRESS_PRIVATE},   /* loopback */
    {0xa9fe0000, 16, ADDRESS_PRIVATE},  /* link-local, metadata of clouds */
    {0xac100000, 12, ADDRESS_PRIVATE},  /* private */
    {0xc0000000, 24, ADDRESS_PRIVATE},  /* protocol assignments */
    {0xc0000200, 24, ADDRESS_PRIVATE},  /* documentation */
    {0xc0586300, 24, ADDRESS_PRIVATE},  /* 6to4 relays */
    {0xc0a80000, 16, ADDRESS_PRIVATE},  /* private */
    {0xc6120000, 15, ADDRESS_PRIVATE},  /* benchmarks */
    {0xc6336400, 24, ADDRESS_PRIVATE},  /* documentation */
    {0xcb007100, 24, ADDRESS_PRIVATE},  /* documentation */
    {0xe0000000, 4, ADDRESS_UNUSABLE},  /* multicast */
    {0xf0000000, 4, ADDRESS_UNUSABLE},  /* reserved, broadcast */
};

static enum address_kind kind4(uint32_t address) {
    for (size_t i = 0; i < sizeof ranges4 / sizeof *ranges4; i++) {
        const uint32_t mask = ~(uint32_t)0 << (32 - ranges4[i].bits);
        if ((address & mask) == ranges4[i].start) {
            return ranges4[i].kind;
        }
    }
    return ADDRESS_PUBLIC;
}

static uint32_t address4(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int begins(const uint8_t *address, const uint8_t *prefix, size_t count) {
    return memcmp(address, prefix, count) == 0;
}

static enum address_kind kind6(const uint8_t *address) {
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    static const uint8_t translated[12] = {0, 0x64, 0xff, 0x9b};
    static const uint8_t special[2] = {0x20, 0x01};       /* 2001::/23: Teredo and others */
    static const uint8_t documentation[4] = {0x20, 0x01, 0x0d, 0xb8};
    if (begins(address, mapped, 12) || begins(address, translated, 12)) {
        return kind4(address4(address + 12));
    }
    if (address[0] == 0x20 && address[1] == 0x02) {
        return kind4(address4(address + 2)); /* 6to4 */
    }
    if (address[0] == 0xff) {
        return ADDRESS_UNUSABLE;
    }
    if (begins(address, special, 2) && address[2] < 2) {
        return ADDRESS_PRIVATE;
    }
    if (begins(address, documentation, 4) || (address[0] == 0x3f && address[1] == 0xff)) {
        return ADDRESS_PRIVATE;
    }
    return (address[0] & 0xe0) == 0x20 ? ADDRESS_PUBLIC : ADDRESS_PRIVATE;
}

enum address_kind address_kind(const struct sockaddr *address, socklen_t length) {
    if (address->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in copy;
        memcpy(&copy, address, sizeof copy);
        return kind4(ntohl(copy.sin_addr.s_addr));
    }
    if (address->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 copy;
        memcpy(&copy, address, sizeof copy);
        return kind6(copy.sin6_addr.s6_addr);
    }
    return ADDRESS_UNUSABLE;
}
