/* SPDX-License-Identifier: MIT */
/*
 * Which generation of which program this is, as the loader shim asks of what it starts, so that
 * generations with a hole can be revoked (SBAT.md of shim): component, its generation, vendor,
 * vendor's name for it, version, where to read more.
 */

#define TEXT                                                                                       \
    "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"                \
    "altpick,1,altpick,altpick," ALTPICK_VERSION ",docs/boot.md\n"

__attribute__((section(".sbat"), used)) static const char sbat[sizeof TEXT - 1] = TEXT; /* no NUL */
