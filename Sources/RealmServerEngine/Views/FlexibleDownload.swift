// SPDX-License-Identifier: Apache-2.0

// What a client in flexible mode is sent.

/// The messages that take a client to a version of the realm, and perhaps to another query there.
package struct FlexibleDownload: Sendable {
  /// The steady state, with the query that the client has.
  package var round: Download
  /// The bootstrap of the new query, which is sent after it; nil if the query stays.
  package var bootstrap: Download?

  package init(round: Download, bootstrap: Download? = nil) {
    self.round = round
    self.bootstrap = bootstrap
  }
}
