// SPDX-License-Identifier: Apache-2.0

// The protocol version of a connection.

/// A mode and version of the protocol, agreed upon in the handshake.
package struct ProtocolVersion: Hashable, Sendable, CustomStringConvertible {
  package var mode: SyncMode
  package var number: Int

  package static let newest = 14
  /// The versions of our client.
  package static let clientVersions = 2...newest

  package init(mode: SyncMode, number: Int = newest) {
    self.mode = mode
    self.number = number
  }

  /// The versions of our server.
  package static func serverVersions(_ mode: SyncMode) -> ClosedRange<Int> {
    mode == .flexible ? 10...newest : 3...newest
  }

  /// The name in a handshake: `com.mongodb.realm-query-sync#14`.
  package var description: String { "\(mode.protocolName)#\(number)" }

  /// The version in a server's answer, if it was offered.
  package init?(answer: String, mode: SyncMode) {
    let names = Self.names(in: answer)
    guard names.count == 1, names[0].mode == mode, names[0].versions.count == 1,
      let number = names[0].versions.first, Self.clientVersions.contains(number)
    else { return nil }
    self.init(mode: mode, number: number)
  }

  /// The names in a client's offer, newest first.
  package static func offer(_ mode: SyncMode) -> [String] {
    clientVersions.reversed().map { ProtocolVersion(mode: mode, number: $0).description }
  }

  /// The newest version in both a client's offer and our server.
  package static func chosen(from offer: String) -> ProtocolVersion? {
    answer(to: offer)?.version
  }

  /// The newest version of both sides, with its name as the client writes it: to old clients a name
  /// with the other separator is not in their offer.
  package static func answer(to offer: String) -> (version: ProtocolVersion, name: String)? {
    var best: (version: ProtocolVersion, name: String)?
    for (mode, separator, versions) in names(in: offer) {
      let shared = versions.clamped(to: serverVersions(mode))
      guard shared.overlaps(versions), shared.upperBound > best?.version.number ?? 0
      else { continue }
      best = (
        ProtocolVersion(mode: mode, number: shared.upperBound),
        "\(mode.protocolName)\(separator)\(shared.upperBound)"
      )
    }
    return best
  }

  /// The protocols of a list. Old clients wrote `/` for `#`, and ranges of versions.
  private static func names(
    in list: String
  ) -> [(mode: SyncMode, separator: String, versions: ClosedRange<Int>)] {
    list.split(separator: ",").compactMap { item in
      let name = item.filter { $0 != " " && $0 != "\t" }
      for mode in [SyncMode.partition, .flexible] {
        for separator in ["#", "/"] where name.hasPrefix(mode.protocolName + separator) {
          let bounds = name.dropFirst(mode.protocolName.count + 1)
            .split(separator: "-", omittingEmptySubsequences: false).map(version)
          guard let first = bounds.first ?? nil, let last = bounds.last ?? nil,
            bounds.count <= 2, first <= last
          else { return nil }
          return (mode, separator, first...last)
        }
      }
      return nil
    }
  }

  private static func version(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.count <= 4, text.allSatisfy({ $0.isASCII && $0.isNumber }) else {
      return nil
    }
    return Int(text)
  }

  /// Whether a flexible DOWNLOAD says how much of a bootstrap is done, not how many bytes are left.
  package var hasProgressEstimate: Bool { number >= 12 }
  /// Whether steady state has a batch state of its own, so a server can begin a bootstrap.
  package var hasServerBootstraps: Bool { number >= 14 }
  /// Whether a server can undo single writes of a client.
  package var hasCompensatingWrites: Bool { number >= 5 }
  /// Whether errors have a JSON document.
  package var hasErrorDocuments: Bool { number >= 4 }
}

/// The part of an app's data in a file.
package enum SyncMode: Hashable, Sendable {
  /// All objects of one partition.
  case partition
  /// The objects of the file's subscriptions.
  case flexible

  /// The name of its protocol in a WebSocket handshake.
  var protocolName: String {
    switch self {
    case .partition: "com.mongodb.realm-sync"
    case .flexible: "com.mongodb.realm-query-sync"
    }
  }
}
