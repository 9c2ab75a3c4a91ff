// SPDX-License-Identifier: Apache-2.0

// Where the server of a measurement keeps its realms.

#if Server
/// A store of the server.
enum MeasuredStore: String, CaseIterable, Sendable {
  /// Files of its folder.
  case embedded
  /// A PostgreSQL primary with a synchronous standby.
  case postgres
}
#endif
