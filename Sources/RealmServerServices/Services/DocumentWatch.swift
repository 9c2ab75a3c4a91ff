// SPDX-License-Identifier: Apache-2.0

// A stream of the changes of a collection.

#if Server
package import RealmFormats
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// A stream of changes, open as long as somebody has it.
package final class DocumentWatch: Sendable {
  /// What a stream has come to.
  struct Position: Sendable {
    let token: ChangeToken
    /// The rights that its last events were made with.
    let rights: SessionRights
  }

  let request: WatchRequest
  let partition: DocumentPartition?
  /// Keeps the realm open.
  private let opened: Locked<RealmDirectory.OpenRealm>
  /// The id of the user; nil for the server's own program.
  let user: String?
  private let service: DocumentService
  private let seat: WatchTable.Seat
  private let start: Position

  init(
    _ service: DocumentService, _ request: WatchRequest, _ partition: DocumentPartition?,
    _ realm: RealmDirectory.OpenRealm, seat: WatchTable.Seat, user: String?, from start: Position
  ) {
    self.service = service
    self.request = request
    self.partition = partition
    opened = Locked(realm)
    realm.whenClosed { [weak seat] isEnd in if !isEnd { seat?.wake() } }
    self.seat = seat
    self.user = user
    self.start = start
  }

  var realm: ServerRealm { opened.withLock { $0.realm } }

  /// Goes on with the realm as it was opened again.
  func set(_ realm: RealmDirectory.OpenRealm) {
    opened.withLock { $0 = realm }
    realm.whenClosed { [weak seat] isEnd in if !isEnd { seat?.wake() } }
  }

  /// The events from the beginning of the stream.
  package func makeEvents() -> Events { Events(self) }

  /// Takes the events, one group after the other, in one task.
  package struct Events {
    private let watch: DocumentWatch
    private var wakes: AsyncStream<Void>.Iterator
    private var position: Position
    private var isFirst = true

    fileprivate init(_ watch: DocumentWatch) {
      self.watch = watch
      wakes = watch.seat.wakes.makeAsyncIterator()
      position = watch.start
    }

    /// The next events; none as a sign of life, nil at the end of the stream.
    package mutating func next() async throws(DocumentError) -> [BSONValue]? {
      if !isFirst {
        guard await wakes.next() != nil else { return nil }
      }
      isFirst = false
      let (events, position) = try await watch.service.events(of: watch, after: position)
      self.position = position
      return events
    }
  }
}
#endif
