// The kernel's own numbers, to hold those of the shipped code against. No feature macro, such as
// _GNU_SOURCE: Foundation's modules define none, and one type may not have two shapes.
#ifndef HOMEWARD_KERNELHEADERS_H
#define HOMEWARD_KERNELHEADERS_H

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/nl80211.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <sys/socket.h>

#endif
