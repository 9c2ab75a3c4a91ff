// SPDX-License-Identifier: Apache-2.0

// What the integration of a group finds against an upload.

import RealmSyncProtocol

/// An upload of a group that does not fit the objects, or has writes that are refused.
struct Misfit: Error {
  enum Reason {
    case refusal(SessionRefusal)
    case writes(RefusedWrites)
  }

  let number: Int
  let reason: Reason
}
