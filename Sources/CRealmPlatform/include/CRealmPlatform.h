// SPDX-License-Identifier: Apache-2.0

// The C that Swift cannot say: calls of the system, vectors gathered to bits, a hash. It knows
// nothing of the file format.
#ifndef C_REALM_PLATFORM_H
#define C_REALM_PLATFORM_H

#include "RealmCellMasks.h"
#include "RealmDigest.h"
#include "RealmFiles.h"
#include "RealmForks.h"
#include "RealmIsolation.h"
#include "RealmTracking.h"
#include "RealmMemory.h"
#include "RealmNumbers.h"
#include "RealmOutput.h"
#include "RealmProcessMemory.h"
#include "RealmTypeRecords.h"

#endif
