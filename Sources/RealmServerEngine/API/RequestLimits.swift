// SPDX-License-Identifier: Apache-2.0

// How much one address may ask of an app.

/// The requests of an address in a minute.
package struct RequestLimits: Hashable, Sendable {
  /// Attempts in vain with passwords and mailed tokens.
  package var attempts = 10
  /// Registrations, and requests for mails, successful ones too.
  package var registrations = 30
  /// New anonymous users, without those of the server's own machine.
  package var anonymousLogins = 100

  package init() {}
}
