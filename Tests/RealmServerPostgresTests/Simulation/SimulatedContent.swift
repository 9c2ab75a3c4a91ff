// SPDX-License-Identifier: Apache-2.0

// The tables of the database in memory, and the effect of each statement on them.

#if Postgres
import RealmServerEngine

@testable import RealmServerPostgres

/// The tables.
struct SimulatedContent: Sendable {
  /// The row of a realm: the columns that statements read, and the owner.
  private struct Realm {
    /// In the order of `RealmRow`.
    var columns: [DatabaseValue]
    var owner: DatabaseValue = .null
    var leaseEnd: Int64 = 0

    subscript(column: Column) -> DatabaseValue {
      get { columns[column.rawValue] }
      set { columns[column.rawValue] = newValue }
    }
  }

  private enum Column: Int {
    case number = 0
    case id, app, partition, version, salt, totalSize, base, epoch, token
    case checkpoint, checkpointSalt, checkpointID, checkpointSize
  }

  /// A row that belongs to a realm and numbers.
  private struct Key: Hashable {
    let realm: DatabaseValue
    var first: Int64
    var second: Int64 = 0
  }

  private let flaw: SimulationFlaw?
  /// Milliseconds since 1970.
  var clock: Int64 = 1_800_000_000_000
  private var schemaVersion: Int64?
  private var usableSince: Int64 = 1
  private let identity = "simulation \(UInt64.random(in: 0...UInt64.max))"
  private var realms: [DatabaseValue: Realm] = [:]
  private var history: [Key: [DatabaseValue]] = [:]
  private var files: [Key: [DatabaseValue]] = [:]
  private var idents: [Key: Int64] = [:]
  private var reciprocals: [Key: DatabaseValue] = [:]
  private var privates: [Key: [DatabaseValue]] = [:]
  private var parts: [Key: [UInt8]] = [:]
  private var nodes: [DatabaseValue: (url: DatabaseValue, seen: Int64)] = [:]
  private var sharedFiles: [DatabaseValue: (version: Int64, bytes: DatabaseValue)] = [:]

  init(flaw: SimulationFlaw?) { self.flaw = flaw }

  /// Carries a statement out.
  mutating func perform(_ call: DatabaseCall) throws(DatabaseError) -> DatabaseRows {
    if let rows = realm(call) ?? owner(call) ?? client(call) ?? change(call) ?? server(call)
      ?? checkpoint(call) ?? clear(call)
    {
      return rows
    }
    if let rows = try entry(call) ?? schema(call) { return rows }
    throw .refused(code: "42601", "the simulation does not know \(call.statement.name)")
  }

  private static func int(_ value: DatabaseValue) -> Int64 {
    if case .int(let number) = value { number } else { 0 }
  }

  private static func text(_ value: DatabaseValue) -> String {
    if case .text(let text) = value { text } else { "" }
  }

  private mutating func schema(_ call: DatabaseCall) -> DatabaseRows? {
    switch call.statement {
    case DatabaseSchema.lock: return [[.text("")]]
    case DatabaseSchema.isThere:
      return [[schemaVersion == nil ? .null : .text("openrealm.database")]]
    case DatabaseSchema.version: return [[.int(schemaVersion ?? 0)]]
    case DatabaseSchema.setVersion:
      schemaVersion = Self.int(call.values[0])
      usableSince = Self.int(call.values[1])
      return []
    case DatabaseSchema.oldestUser: return [[.int(usableSince)]]
    case Statements.identity: return [[.text(identity)]]
    default: return DatabaseSchema.versions.joined().contains(call.statement) ? [] : nil
    }
  }

  // MARK: Realms

  private mutating func realm(_ call: DatabaseCall) -> DatabaseRows? {
    let values = call.values
    switch call.statement {
    case Statements.makeRealm:
      guard !realms.values.contains(where: { $0[.id] == values[0] }) else { return [] }
      let number = DatabaseValue.int(Int64(realms.count + 1))
      realms[number] = Realm(
        columns: [number] + values + [DatabaseValue](repeating: .int(0), count: 10))
      return []
    case Statements.realmByID:
      return realms.values.filter { $0[.id] == values[0] }.map(\.columns)
    case Statements.realm, Statements.lockRealm:
      return realms[values[0]].map { [$0.columns] } ?? []
    case Statements.realmsOfApp:
      let found = realms.values.filter { $0[.app] == values[0] }
      return found.sorted { Self.text($0[.id]) < Self.text($1[.id]) }.map(\.columns)
    case Statements.newHeads:
      return numbers(values[0]).compactMap { realms[.int($0)]?.columns }
    default: return nil
    }
  }

  private func numbers(_ list: DatabaseValue) -> [Int64] {
    guard case .text(let text) = list else { return [] }
    return text.dropFirst().dropLast().split(separator: ",").compactMap { Int64($0) }
  }

  private mutating func owner(_ call: DatabaseCall) -> DatabaseRows? {
    let values = call.values
    switch call.statement {
    case Statements.own:
      guard var realm = realms[values[0]],
        realm.owner == .null || realm.owner == values[1] || realm.leaseEnd < clock
      else { return [] }
      if flaw != .keepsEpochs || realm[.epoch] == .int(0) {
        realm[.epoch] = .int(Self.int(realm[.epoch]) + 1)
      }
      (realm.owner, realm.leaseEnd) = (values[1], clock + Self.int(values[2]))
      realms[values[0]] = realm
      return [realm.columns]
    case Statements.leaseLeft:
      return realms[values[0]].map { [[.int(max(0, $0.leaseEnd - clock)), $0.owner]] } ?? []
    case Statements.renewLeases:
      for number in numbers(values[0]) where realms[.int(number)]?.owner == values[1] {
        realms[.int(number)]?.leaseEnd = clock + Self.int(values[2])
      }
      return []
    case Statements.giveUpLease:
      guard let realm = realms[values[0]], realm.owner == values[1], realm[.epoch] == values[2]
      else { return [] }
      realms[values[0]]?.owner = .null
      return []
    case Statements.claim:
      guard var realm = realms[values[0]], realm[.version] == values[1],
        realm[.epoch] == values[2] || flaw == .ignoresEpochs
      else { return [] }
      (realm[.version], realm[.salt], realm[.totalSize]) = (values[3], values[4], values[5])
      realm[.base] = .int(max(Self.int(realm[.base]), Self.int(values[6])))
      realm[.token] = values[7]
      (realm.owner, realm.leaseEnd) = (values[9], clock + Self.int(values[8]))
      realms[values[0]] = realm
      return [realm.columns]
    case Statements.claimShared:
      guard var realm = realms[values[0]], realm[.epoch] == values[2],
        realm[.version] == values[1] || flaw == .ignoresVersions
      else { return [] }
      (realm[.version], realm[.salt], realm[.totalSize]) = (values[3], values[4], values[5])
      realm[.base] = .int(max(Self.int(realm[.base]), Self.int(values[6])))
      realm[.token] = values[7]
      realms[values[0]] = realm
      return [realm.columns]
    default: return nil
    }
  }

  // MARK: History

  private mutating func entry(_ call: DatabaseCall) throws(DatabaseError) -> DatabaseRows? {
    let values = call.values
    switch call.statement {
    case Statements.addEntry:
      let key = Key(realm: values[0], first: Self.int(values[1]))
      guard history[key] == nil || flaw == .ignoresVersions else {
        throw .refused(code: "23505", "the version is there")
      }
      history[key] = Array(values.dropFirst())
      return []
    case Statements.entries:
      var byteCount: Int64 = 0
      var rows: DatabaseRows = []
      for version in versions(of: values[0])
      where version >= Self.int(values[1]) && version <= Self.int(values[2]) {
        guard let row = history[Key(realm: values[0], first: version)] else { continue }
        for case .bytes(let bytes) in row { byteCount += Int64(bytes.count) }
        guard byteCount <= Self.int(values[3]) || version == Self.int(values[1]) else { break }
        rows.append(row)
      }
      return rows
    case Statements.saltOfEntry:
      return history[Key(realm: values[0], first: Self.int(values[1]))].map { [[$0[1]]] } ?? []
    case Statements.trimHistory:
      history = history.filter { key, _ in
        key.realm != values[0] || key.first > Self.int(values[1])
      }
      return []
    default: return nil
    }
  }

  private func versions(of realm: DatabaseValue) -> [Int64] {
    history.keys.filter { $0.realm == realm }.map(\.first).sorted()
  }

  // MARK: Clients

  private mutating func client(_ call: DatabaseCall) -> DatabaseRows? {
    let values = call.values
    func key() -> Key { Key(realm: values[0], first: Self.int(values[1])) }
    switch call.statement {
    case Statements.file: return files[key()].map { [$0] } ?? []
    case Statements.files:
      return files.filter { $0.key.realm == values[0] && $0.key.first > Self.int(values[1]) }
        .sorted { $0.key.first < $1.key.first }.map(\.value)
    case Statements.setFile where flaw == .forgetsProgress: return []
    case Statements.addFile, Statements.setFile:
      files[key()] = Array(values.dropFirst())
      return []
    case Statements.forgetFile:
      if files[key()]?[6] == .int(0) { files[key()] = nil }
      return []
    case Statements.idents:
      return idents.filter { $0.key.realm == values[0] }.sorted { $0.key.first < $1.key.first }
        .map { [.int($0.key.first), .int($0.value)] }
    case Statements.setIdents:
      idents[key()] = Self.int(values[2])
      return []
    default: return nil
    }
  }

  private mutating func change(_ call: DatabaseCall) -> DatabaseRows? {
    let values = call.values
    func key() -> Key {
      Key(realm: values[0], first: Self.int(values[1]), second: Self.int(values[2]))
    }
    func isTrimmed(_ key: Key) -> Bool {
      key.realm == values[0] && key.first == Self.int(values[1])
        && key.second <= Self.int(values[2])
    }
    func isAfter(_ key: Key) -> Bool {
      key.realm == values[0] && key.first == Self.int(values[1])
        && key.second > Self.int(values[2])
    }
    switch call.statement {
    case Statements.reciprocals:
      return reciprocals.filter { isAfter($0.key) }.sorted { $0.key.second < $1.key.second }
        .map { [.int($0.key.second), $0.value] }
    case Statements.setReciprocal: reciprocals[key()] = values[3]
    case Statements.trimReciprocals:
      guard flaw != .keepsReciprocals else { return [] }
      reciprocals = reciprocals.filter { !isTrimmed($0.key) }
    case Statements.privates:
      return privates.filter { isAfter($0.key) }.sorted { $0.key.second < $1.key.second }
        .map(\.value)
    case Statements.setPrivate:
      var row = Array(values.dropFirst(2))
      if let known = privates[key()], flaw != .forgetsRefusals {
        for column in 4..<8 where row[column] == .null { row[column] = known[column] }
      }
      privates[key()] = row
    case Statements.removePrivate: privates[key()] = nil
    case Statements.trimPrivates: privates = privates.filter { !isTrimmed($0.key) }
    default: return nil
    }
    return []
  }

  // MARK: Checkpoints

  private mutating func checkpoint(_ call: DatabaseCall) -> DatabaseRows? {
    let values = call.values
    switch call.statement {
    case Statements.addPart:
      let key = Key(
        realm: values[0], first: Self.int(values[1]), second: Self.int(values[2]))
      if case .bytes(let bytes) = values[3] { parts[key] = bytes }
      return []
    case Statements.part:
      let key = Key(
        realm: values[0], first: Self.int(values[1]), second: Self.int(values[2]))
      return parts[key].map { [[.bytes($0)]] } ?? []
    case Statements.sizeOfParts:
      let found = parts.filter { $0.key.realm == values[0] && $0.key.first == Self.int(values[1]) }
      return [[.int(found.values.reduce(0) { $0 + Int64($1.count) })]]
    case Statements.setCheckpoint:
      guard var realm = realms[values[0]], Self.int(realm[.checkpoint]) < Self.int(values[1])
      else { return [] }
      (realm[.checkpoint], realm[.checkpointSalt]) = (values[1], values[2])
      (realm[.checkpointID], realm[.checkpointSize]) = (values[3], values[4])
      realms[values[0]] = realm
      return [realm.columns]
    case Statements.removeCheckpoint, Statements.removeOtherCheckpoints:
      let removesOthers = call.statement == Statements.removeOtherCheckpoints
      parts = parts.filter { key, _ in
        key.realm != values[0] || (key.first == Self.int(values[1])) == removesOthers
      }
      return []
    default: return nil
    }
  }

  // MARK: Moving

  private mutating func clear(_ call: DatabaseCall) -> DatabaseRows? {
    guard let table = Statements.clear.firstIndex(of: call.statement) else { return nil }
    let realm = call.values[0]
    switch table {
    case 0: history = history.filter { $0.key.realm != realm }
    case 1: files = files.filter { $0.key.realm != realm }
    case 2: idents = idents.filter { $0.key.realm != realm }
    case 3: reciprocals = reciprocals.filter { $0.key.realm != realm }
    case 4: privates = privates.filter { $0.key.realm != realm }
    default: parts = parts.filter { $0.key.realm != realm }
    }
    return []
  }

  // MARK: Servers

  private static let week: Int64 = 7 * 86_400_000

  private mutating func server(_ call: DatabaseCall) -> DatabaseRows? {
    let values = call.values
    switch call.statement {
    case Statements.time: return [[.int(clock)]]
    case Statements.announce: nodes[values[0]] = (values[1], clock)
    case Statements.nodeAddress: return nodes[values[0]].map { [[$0.url]] } ?? []
    case Statements.presentNodes:
      return nodes.filter { $0.key != values[0] && $0.value.seen > clock - 30_000 }
        .sorted { Self.text($0.key) < Self.text($1.key) }.map { [$0.key, $0.value.url] }
    case Statements.seeNode: nodes[values[0]]?.seen = clock
    case Statements.forgetNodes: nodes = nodes.filter { $0.value.seen >= clock - Self.week }
    case Statements.sharedFiles:
      return sharedFiles.sorted { Self.text($0.key) < Self.text($1.key) }
        .map { [$0.key, .int($0.value.version), $0.value.bytes] }
    case Statements.sharedFile:
      return sharedFiles[values[0]].map { [[.int($0.version), $0.bytes]] } ?? []
    case Statements.putSharedFile:
      let known = sharedFiles[values[0]]
      guard known == nil || known?.version == Self.int(values[1]) || flaw == .overwritesFiles
      else { return [] }
      let version = Self.int(values[1]) + 1
      sharedFiles[values[0]] = (version, values[2])
      return [[.int(version)]]
    case Statements.markOfSharedFiles:
      return [
        [
          .int(Int64(sharedFiles.count)),
          .int(sharedFiles.values.reduce(0) { $0 + $1.version }),
        ]
      ]
    default: return nil
    }
    return []
  }
}
#endif
