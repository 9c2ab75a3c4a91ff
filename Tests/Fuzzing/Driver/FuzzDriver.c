// SPDX-License-Identifier: Apache-2.0
//
// A target of the package manager has at least one source.

#include "FuzzDriver.h"
