// SPDX-License-Identifier: Apache-2.0

// A header of a request or an answer.

/// A header field of HTTP.
package struct HTTPHeader: Hashable, Sendable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether the header belongs to the protocol, out of the reach of apps.
  package var isReserved: Bool {
    let name = name.lowercased()
    return name.hasPrefix("sec-websocket-") || name.hasPrefix("proxy-")
      || ["authorization", "connection", "content-length", "host", "transfer-encoding", "upgrade"]
        .contains(name)
  }
}
