// SPDX-License-Identifier: Apache-2.0

// Why a wait has no good end.

/// The failure of a wait.
package enum SessionFailure: Error, Hashable, Sendable {
  case canceled
  case terminated
  case error(ErrorCode, ErrorDocument)
  case storage(StoreFailure)
}
