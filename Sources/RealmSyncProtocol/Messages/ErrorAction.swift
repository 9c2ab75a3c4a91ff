// SPDX-License-Identifier: Apache-2.0

// The actions of a client after an error, as the server asks for them.

/// The action of an error document.
package enum ErrorAction: String, CaseIterable, Hashable, Sendable {
  case protocolViolation = "ProtocolViolation"
  case applicationBug = "ApplicationBug"
  case warning = "Warning"
  case transient = "Transient"
  case deleteRealm = "DeleteRealm"
  case clientReset = "ClientReset"
  case clientResetNoRecovery = "ClientResetNoRecovery"
  case migrateToFlexible = "MigrateToFLX"
  case revertToPartition = "RevertToPBS"
  case refreshUser = "RefreshUser"
  case refreshLocation = "RefreshLocation"
  case logOutUser = "LogOutUser"
  case migrateSchema = "MigrateSchema"
}
