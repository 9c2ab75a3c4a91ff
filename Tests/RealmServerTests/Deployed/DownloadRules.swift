// SPDX-License-Identifier: Apache-2.0

// The rules that a deployed client holds a server to (P1 C.4).

#if Server
/// Checks the DOWNLOADs of one file against what the client knows.
struct DownloadRules {
  let isFlexible: Bool
  /// The file's own ident.
  var ident = 0
  /// The last version of the client.
  var clientVersion = 0
  /// The versions of the queries that the client has sent, or begins with.
  var queries: Set<Int> = [0]
  /// The query whose bootstrap is complete.
  var activeQuery = 0
  /// The last message, whose cursors may not be gone behind.
  private(set) var last: DeployedDownload?
  /// The last message of which the client has stored the cursors.
  private var stored: DeployedDownload?
  /// The messages of a bootstrap that is not complete.
  private var begun: [DeployedDownload] = []
  /// The download cursor that is stored.
  private(set) var server = 0
  private(set) var client = 0

  init(isFlexible: Bool) { self.isFlexible = isFlexible }

  /// Takes a message, and returns the numbers of the rules that it breaks.
  mutating func take(_ download: DeployedDownload) -> Set<Int> {
    var broken: Set<Int> = []
    if let last, !Self.followsCursors(download, last) { broken.insert(1) }
    if download.uploadClient > clientVersion || download.downloadServer > download.latestServer
      || download.downloadClient > download.uploadClient
      || download.downloadServer < download.uploadServer
    {
      broken.insert(2)
    }
    if !entriesAreInOrder(download) { broken.insert(3) }
    if download.batch == 0, download.entries.isEmpty { broken.insert(4) }
    if isBootstrap(download) {
      if download.batch == 1, (begun + [download]).allSatisfy(\.entries.isEmpty) {
        broken.insert(5)
      }
      if let first = begun.first, !Self.hasCursors(download, first) { broken.insert(7) }
      if !queries.contains(download.queryVersion ?? 0) || download.queryVersion ?? 0 < activeQuery {
        broken.insert(8)
      }
    } else if isFlexible, download.queryVersion != activeQuery || !begun.isEmpty {
      broken.insert(8)
    }
    for entry in download.entries
    where isFlexible ? entry.server < server : entry.server <= server {
      broken.insert(10)
    }
    store(download)
    return broken
  }

  /// Begins a new connection: a part of a bootstrap is forgotten.
  mutating func restart() {
    begun = []
    last = stored
  }

  private func isBootstrap(_ download: DeployedDownload) -> Bool {
    isFlexible && download.batch != 2
  }

  private mutating func store(_ download: DeployedDownload) {
    last = download
    if download.batch == 0 { return begun.append(download) }
    if isBootstrap(download) { activeQuery = download.queryVersion ?? 0 }
    begun = []
    stored = download
    (server, client) = (download.downloadServer, download.downloadClient)
  }

  private static func cursors(_ download: DeployedDownload) -> [Int] {
    [
      download.latestServer, download.uploadClient, download.uploadServer,
      download.downloadServer, download.downloadClient,
    ]
  }

  private static func followsCursors(_ next: DeployedDownload, _ last: DeployedDownload) -> Bool {
    // The server version of the upload cursor is compared if it is there alone (P5 4).
    zip(cursors(next), cursors(last)).enumerated().allSatisfy { index, pair in
      pair.0 >= pair.1 || index == 2 && pair.0 == 0
    }
  }

  private static func hasCursors(_ next: DeployedDownload, _ first: DeployedDownload) -> Bool {
    cursors(next) == cursors(first)
  }

  private func entriesAreInOrder(_ download: DeployedDownload) -> Bool {
    var server = 0
    var client = 0
    for (index, entry) in download.entries.enumerated() {
      let isNext = isFlexible && index > 0 ? entry.server >= server : entry.server > server
      guard isNext, entry.server <= download.downloadServer, entry.client >= client,
        entry.client <= download.downloadClient, entry.origin >= 1, entry.origin != ident
      else { return false }
      (server, client) = (entry.server, entry.client)
    }
    return true
  }
}
#endif
