// The kernel's own numbers, to hold those of the shipped code against.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
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
