// SPDX-License-Identifier: Apache-2.0

// Where a request comes from.

/// The client of a request, as far as its connection and the proxies before the server tell.
package struct RequestOrigin: Hashable, Sendable {
  /// Nil if it is not known.
  package var address: ClientAddress?
  /// Whether the client's own connection is encrypted.
  package var isSecure: Bool
  /// Whether a proxy has passed the request on, or says so.
  package var isForwarded: Bool

  package init(
    _ address: ClientAddress? = nil, isSecure: Bool = false, isForwarded: Bool = false
  ) {
    self.address = address
    self.isSecure = isSecure
    self.isForwarded = isForwarded
  }

  /// The address for limits.
  package var limitKey: String { address?.limitKey ?? "unknown" }

  /// Whether the request comes from a program of this machine, other than a proxy.
  package var isLocal: Bool { !isForwarded && address?.isLocal == true }
}
