// SPDX-License-Identifier: Apache-2.0

// What original clients assert of the reports of refused writes.

package import RealmSyncProtocol

/// Checks the messages of a connection as an original client does, which ends with its program
/// otherwise (P1 C.7).
///
/// Rules:
/// 1. The versions of the reports that a session holds back grow.
/// 2. A DOWNLOAD of the steady state hands over the reports up to its last entry. None of them is
///    older than its first entry. Clients may integrate a part of its entries: so each report has
///    an entry of exactly its version.
/// 3. No DOWNLOAD passes a report that is held back: the next entry would be newer. A bootstrap may
///    end with its version.
///
/// Before version 14 the messages of the steady state are those that end a batch of the query that
/// is active at the client: that of its IDENT, and then that of the last whole bootstrap.
package struct ReportChecker {
  /// The versions of the reports that a session holds back.
  private var held: [UInt64: [UInt64]] = [:]
  /// The queries that are active at the client, by sessions; of older versions.
  private var active: [UInt64: UInt64] = [:]
  private let isTold: Bool
  package private(set) var problems: [String] = []

  /// - Parameter version: That of the connection.
  package init(_ version: ProtocolVersion) {
    isTold = version.hasServerBootstraps || version.mode == .partition
  }

  /// Takes a message of the client.
  package mutating func send(_ message: ClientMessage) {
    if case .ident(let ident) = message { active[ident.session] = ident.query?.version }
  }

  package mutating func receive(_ message: ServerMessage) {
    switch message {
    case .error(let session, _, let document):
      guard let report = document.compensatingWrite else { return held[session] = nil }
      if let last = held[session]?.last, last >= report.serverVersion {
        problems.append("the report of version \(report.serverVersion) follows \(last)")
      }
      held[session, default: []].append(report.serverVersion)
    case .download(let session, let download): receive(download, session)
    case .unbound(let session): held[session] = nil
    default: break
    }
  }

  private mutating func receive(_ download: ServerMessage.Download, _ session: UInt64) {
    let isSteady = isSteady(download, session)
    if case .flexible(let query, .last, _) = download.progress { active[session] = query }
    guard let versions = held[session], !versions.isEmpty else { return }
    let entries = (try? download.body.downloadEntries().map(\.serverVersion)) ?? []
    let released = isSteady ? versions.prefix { $0 <= entries.last ?? 0 } : []
    for version in released where !entries.contains(version) {
      problems.append("the report of version \(version) is released by \(entries)")
    }
    let rest = Array(versions.dropFirst(released.count))
    let end = download.cursors.download.serverVersion
    if let version = rest.first, isSteady ? version <= end : version < end {
      problems.append(
        "a DOWNLOAD passes the report of version \(version): \(download.cursors), \(entries)")
    }
    held[session] = rest
  }

  /// Whether the client takes a message for none of a bootstrap.
  private func isSteady(_ download: ServerMessage.Download, _ session: UInt64) -> Bool {
    guard case .flexible(let query, let batch, _) = download.progress else { return true }
    return batch == .steady || !isTold && batch == .last && query == active[session]
  }
}
