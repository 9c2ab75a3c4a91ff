// SPDX-License-Identifier: Apache-2.0

// The directions in which a network passes nothing on.

#if Server
/// What does not arrive while a network holds it.
enum HoldDirection: CaseIterable {
  case both
  /// Requests do not arrive.
  case towardsServer
  /// Requests arrive, and their answers do not: the outcome is unknown.
  case fromServer
}
#endif
