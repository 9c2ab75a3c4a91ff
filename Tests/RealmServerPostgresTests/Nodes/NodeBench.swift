// SPDX-License-Identifier: Apache-2.0

// Servers with one database, in one process.

#if Postgres
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices
@testable import RealmServerPostgres
@testable import RealmSyncTestSupport

/// How the servers of a test reach each other.
enum NodeLinkKind: String, CaseIterable, Sendable {
  /// By calls.
  case direct
  /// By messages over sockets in memory.
  case sockets
}

/// A server of a `NodeBench`.
struct BenchNode: Sendable {
  let store: any ServerStore
  let app: ServerApp
  let host: ServerHost
  let documents: DocumentService
  let server: NodeServer
  private let clients = Locked<[MemorySocket]>([])

  var name: String { server.node }

  /// Whether this server owns a realm.
  func owns(_ realm: RealmName) async throws -> Bool {
    try await app.realms.openReader(realm).realm.isOwner
  }

  /// A socket of a client.
  func connect(_ mode: SyncMode, user: String = "u", version: Int = 14) async -> MemorySocket {
    let version = ProtocolVersion(mode: mode, number: version)
    let (socket, peer) = MemorySocket.pair("\(version)")
    let connection = await host.accept(peer, version: version, user: user)
    Task { await connection.serve(peer) }
    clients.withLock { $0.append(socket) }
    return socket
  }

  /// Cuts the connections of clients.
  func disconnect() {
    for socket in clients.withLock({ $0 }) { socket.end(.readFailed, "the test is over") }
  }

  /// Makes a call about the class `Item`.
  func call(
    _ name: String, _ members: String, user: String? = "u"
  ) async throws(DocumentError) -> BSONValue {
    let text = #"{"database":"db","collection":"Item",\#(members)}"#
    guard let arguments = try? ExtendedJSONReader.parse(text) else {
      throw .badArgument("no extended JSON: \(text)")
    }
    return try await documents.call(name, [arguments], user: user)
  }
}

/// Servers that share a database.
final class NodeBench: Sendable {
  let bench: StoreBench
  let mode: SyncMode
  let directory = BenchDirectory()
  let nodes: [BenchNode]

  /// - Parameters:
  ///   - access: The rights at every server; nil for all rights.
  ///   - lease: The milliseconds of a lease.
  init(
    _ mode: SyncMode, _ kind: NodeLinkKind = .sockets, store: StoreKind = .simulated,
    count: Int = 2, lease: Int = 60_000, access: (any SessionAccess)? = nil,
    limits: NodeLimits = NodeLimits()
  ) throws {
    bench = try StoreBench(store, lease: lease)
    self.mode = mode
    var nodes: [BenchNode] = []
    for _ in 0..<count {
      let store = try bench.otherServer()
      nodes.append(
        try Self.node(
          store, bench.name.app, mode, kind, directory, access: access, limits: limits))
    }
    self.nodes = nodes
    for node in nodes { directory.add(node) }
  }

  deinit {
    for node in nodes { node.disconnect() }
    directory.close()
  }

  var realm: RealmName {
    RealmName(app: bench.name.app, partition: mode == .partition ? "\"home\"" : nil)
  }

  private static func node(
    _ store: any ServerStore, _ id: String, _ mode: SyncMode, _ kind: NodeLinkKind,
    _ directory: BenchDirectory, access: (any SessionAccess)?, limits: NodeLimits
  ) throws -> BenchNode {
    let name = try #require(store as? PostgresStore).node
    let clock = ServerClock { OriginTimestamp(milliseconds: 1_000_000) }
    let realms = RealmDirectory(
      store, settings: ServerRealm.Settings(recordsTouches: mode == .flexible), clock: clock,
      isShared: true)
    var app = ServerApp(
      named: id, realms: realms, authenticator: SessionAuthenticator { _ in "" })
    app.access = access
    let links: any NodeLinks & NodeCalls =
      switch kind {
      case .direct: DirectLinks(directory)
      case .sockets:
        NodePool(
          node: name, limits: limits,
          dial: { (other) async throws(SocketClosed) in try directory.dial(other, from: name) })
      }
    app.links = links
    let documents = DocumentService(
      app, mode: mode, nodes: links, heads: store.heads(ofApp: id), clock: clock)
    let host = ServerHost(app, store: store, served: mode)
    let server = NodeServer(node: name, limits: limits)
    server.add(id, host, documents)
    return BenchNode(store: store, app: app, host: host, documents: documents, server: server)
  }

  /// A client at a server, which has taken its first download.
  func client(at node: Int, user: String = "u") async throws -> ProtocolClient {
    let query = QueryDocument(queries: ["Thing": "TRUEPREDICATE", "Item": "TRUEPREDICATE"])
    return try await ProtocolClient(
      await nodes[node].connect(mode, user: user),
      partition: mode == .partition ? "\"home\"" : nil, query: query)
  }

  /// A changeset that declares a class `Item`, whose objects are documents.
  static func items() -> [UInt8] {
    var encoder = ChangesetEncoder()
    let (item, id) = (encoder.intern("Item"), encoder.intern("_id"))
    encoder.append(
      .addTable(
        .init(
          table: item, kind: .topLevel,
          key: .init(field: id, type: .string, isNullable: false))))
    encoder.append(
      .addColumn(
        .init(
          table: item, field: encoder.intern("count"), type: .int, isNullable: false,
          collection: .single)))
    return encoder.bytes
  }

  /// The keys of all things, as a server reads them.
  func keys(at node: Int) async throws -> [String] {
    let realm = try await nodes[node].app.realms.openReader(realm).realm
    return try ThingEntries.keys(in: await realm.newestSnapshot())
  }
}

/// The servers of a test by their names, and the sockets between them.
final class BenchDirectory: Sendable {
  private struct State {
    var servers: [String: NodeServer] = [:]
    var unreachable: Set<String> = []
    var sockets: [(from: String, to: String, socket: MemorySocket)] = []
  }

  private let state = Locked(State())

  func add(_ node: BenchNode) { state.withLock { $0.servers[node.name] = node.server } }

  func server(_ name: String) -> NodeServer? {
    state.withLock { $0.unreachable.contains(name) ? nil : $0.servers[name] }
  }

  /// The number of connections that were made.
  var connectionCount: Int { state.withLock { $0.sockets.count } }

  func dial(_ name: String, from other: String) throws(SocketClosed) -> any MessageSocket {
    guard let server = server(name) else { throw SocketClosed(.connectFailed, "gone") }
    let (socket, peer) = MemorySocket.pair("node")
    state.withLock { $0.sockets.append((other, name, socket)) }
    Task { await server.serve(peer, of: other) }
    return socket
  }

  /// Cuts the connections to a server, and lets no other be made.
  func isolate(_ name: String) {
    let sockets = state.withLock { state in
      state.unreachable.insert(name)
      return state.sockets.filter { $0.to == name || $0.from == name }
    }
    for socket in sockets { socket.socket.end(.readFailed, "the network is gone") }
  }

  /// Cuts the connections, and forgets the servers: they refer to the directory.
  func close() {
    cut()
    state.withLock { $0 = State() }
  }

  /// Cuts the connections of all servers once.
  func cut() {
    for socket in state.withLock({ $0.sockets }) {
      socket.socket.end(.readFailed, "the network is gone")
    }
  }
}

/// Calls other servers without messages.
struct DirectLinks: NodeLinks, NodeCalls {
  private let directory: BenchDirectory

  init(_ directory: BenchDirectory) { self.directory = directory }

  func session(
    _ session: NodeSession, on node: String, events: ServerSessionLink
  ) -> any ServerRequestHandler {
    directory.server(node)?.session(session, events: events) ?? UnreachableSession()
  }

  func answer(to call: NodeCall, on node: String) async -> Result<NodeAnswer, DocumentError> {
    guard let server = directory.server(node) else {
      return .failure(.store(.unavailable("the server is gone")))
    }
    return await server.answer(to: call)
  }
}

/// A session whose owner is gone.
private struct UnreachableSession: ServerRequestHandler {
  var heldByteCount: Int { 0 }

  func perform(_ request: ServerStoreRequest) -> ServerStoreReply {
    .refused(SessionRefusal(.sessionClosed, "gone"))
  }

  func end() {}
  func close() {}
}
#endif
