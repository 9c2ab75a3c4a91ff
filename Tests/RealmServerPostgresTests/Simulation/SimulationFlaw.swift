// SPDX-License-Identifier: Apache-2.0

// Flaws of the simulated database.

/// What a simulated database may do wrong, for the tests of the tests.
enum SimulationFlaw: Sendable {
  /// Appends compare the version alone.
  case ignoresEpochs
  /// A node that becomes the owner gets the epoch of the one before.
  case keepsEpochs
  /// A client file stays as it was made.
  case forgetsProgress
  /// A private change without a refusal removes the stored one.
  case forgetsRefusals
  /// Acknowledged reciprocals stay.
  case keepsReciprocals
  /// Notifications are refused, after the transactions that they are about.
  case refusesNotifications
  /// A shared file is stored whatever version it has.
  case overwritesFiles
  /// Changes of records compare no version, and their entries replace each other.
  case ignoresVersions
}
