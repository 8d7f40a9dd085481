/* SPDX-License-Identifier: MIT */
/* Claims with their findings, for a mail or for a program. */
#ifndef ALTPICK_HOST_CLAIMS_PRINT_H
#define ALTPICK_HOST_CLAIMS_PRINT_H

#include "claim.h"

#include "altpick/out.h"

/* At most ALTPICK_LINE_COLUMNS wide, plain ASCII. */
void altpick_claims_text(const struct altpick_claim_evidence *evidence, struct altpick_out *out);

/* A whole document; see docs/claims.md. */
void altpick_claims_json(const struct altpick_claim_evidence *evidence, struct altpick_out *out);

#endif
