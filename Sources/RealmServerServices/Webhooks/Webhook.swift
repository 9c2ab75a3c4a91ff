// SPDX-License-Identifier: Apache-2.0

// Addresses with code of the app: for logins, mails, functions and push messages.

#if Server
/// An address of the operator that gets signed requests.
package struct Webhook: Hashable, Sendable {
  package var url: String
  /// The key of the signatures.
  package var secret: Secret

  package init(url: String, secret: Secret) {
    self.url = url
    self.secret = secret
  }
}
#endif
