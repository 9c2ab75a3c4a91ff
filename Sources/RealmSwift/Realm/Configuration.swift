// SPDX-License-Identifier: Apache-2.0

// The configuration of a realm: its location, its schema, and the options of opening it.

public import Foundation
import RealmSession
import RealmStorage

extension Realm {
  /// The location of a realm, its schema, and the options of opening it.
  public struct Configuration: Sendable {
    /// Whether the file is never changed through realms of this configuration, which must exist
    /// already.
    ///
    /// Such realms cannot be written, refreshed or observed. Files of older formats, which need an
    /// upgrade, throw `Realm.Error.fileFormatUpgradeRequired`. Not to be combined with
    /// `shouldCompactOnLaunch`, nor, when a realm is opened, with `deleteRealmIfMigrationNeeded`.
    public var readOnly: Bool {
      didSet { checkOptions(readOnlyIsNew: true) }
    }

    /// The key of an encrypted file: 64 bytes, made by a secure generator of random numbers and
    /// kept where only this program can read them. Nil for a file that is not encrypted.
    ///
    /// A new file is encrypted from the beginning with AES-256, and each of its pages is
    /// authenticated with HMAC-SHA-224. Opening an existing file with another key than its own, or
    /// with a key if it has none, throws `Realm.Error.invalidDatabase`, as opening an encrypted
    /// file without one does. To encrypt or decrypt a file, or to change its key, write a copy
    /// (`Realm.writeCopy(toFile:encryptionKey:)`) and replace the file by it while that is closed.
    /// The file cannot be read without the key: losing it means losing the data.
    ///
    /// The whole file is decrypted into memory when it is opened, once for all its realms of the
    /// process; afterwards reading is as fast as in a plain file. A commit encrypts the pages of 4
    /// KiB that changed, and waits for the disk three times instead of twice.
    ///
    /// Traps for any other number of bytes, and when a realm in memory is opened with a key.
    public var encryptionKey: Data? {
      didSet { _ = Self.storageKey(encryptionKey) }
    }

    /// The version of the program's model classes. Raise it when they change.
    public var schemaVersion: UInt64

    /// Migrates objects when the file has a lower schema version. It is called on the thread that
    /// opens the file, in a write transaction; see `Migration`.
    public var migrationBlock: MigrationBlock?

    /// The named migrations of the program, in place of a migration block; setting them sets the
    /// schema version, too.
    ///
    /// Opening a realm traps if `schemaVersion` was changed later, and if there is a block as well.
    public var migrator: RealmMigrator? {
      didSet { if let migrator { schemaVersion = migrator.schemaVersion } }
    }

    /// Decides whether the file is rewritten without free space before it is opened. Called with
    /// the size of the file and the number of its bytes in use.
    ///
    /// It is called on the thread that opens the file, when neither this process nor another one
    /// has it open. The copy replaces the file when it is complete. Not to be combined with
    /// `readOnly`.
    public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)? {
      didSet { checkOptions(readOnlyIsNew: false) }
    }

    /// A file whose copy is opened where there is no file yet. Traps for a URL that is not a file
    /// URL.
    public var seedFilePath: URL? {
      didSet { _ = seedFilePath?.realmFilePath }
    }

    /// The number of versions of the file that may be in use, by realms that were not refreshed and
    /// by frozen objects, when a write transaction begins; nil for any number.
    ///
    /// Beyond it, `beginWrite` traps and other functions that write throw: the file would grow by
    /// all that these versions keep.
    public var maximumNumberOfActiveVersions: UInt?

    /// The number of the newest commits whose changes stay in the file for
    /// ``Realm/changes(since:)``; 0 keeps those that open realms need, and no more.
    ///
    /// Up to an eighth more may be kept. A commit then also stores the primary keys of the objects
    /// that it deletes. Each process that writes the file needs the limit, as the commits of others
    /// drop what they do not need; of several limits in a process, the largest is in force until
    /// the file is closed. Traps for a negative number.
    public var historyLimit = 0 {
      didSet {
        if historyLimit < 0 { throwRealmException("'historyLimit' must not be negative.") }
      }
    }

    /// When the commits of the realm reach the disk, and so what they promise when they return.
    ///
    /// It applies to the realms that are opened with it, not to others of the same file, also in
    /// other processes. Realms in memory, commits of more than a mebibyte, and those of encrypted
    /// files, always wait as long as with ``Durability/twoSyncs``.
    public var durability = Durability.twoSyncs

    /// Whether reads compare the parts of the file with their checksums, each when it is first
    /// reached in a version.
    ///
    /// A number with a flipped bit then is damage, as bytes are that contradict the format: it
    /// traps, is reported to ``onDamage``, or is thrown by ``Realm/snapshot(of:_:)``. A version
    /// costs a 64th of the file's length in memory, as far as it is read, and a first read as much
    /// as hashing what it reaches. Without it, reads cost nothing for it.
    ///
    /// It is in force for all realms of the file in this process from the first one that asks for
    /// it until the file is closed, and for versions that are read from then on. What other
    /// implementations wrote has no checksums and is read as it is. In a write transaction, reads
    /// compare nothing. ``Realm/verifyIntegrity(configuration:progress:)`` compares the whole file.
    public var verifiesChecksums = false

    /// Damage that reads of the realm meet is reported here, and they go on instead of ending the
    /// program; nil, the default, lets them trap.
    ///
    /// Getters, loops and queries cannot throw. Where one of them meets damaged bytes, the error is
    /// passed here, with the class, the key and the property where they are known, and the read
    /// returns a placeholder: the default of the property's type, nil, an object without values, an
    /// empty collection; a loop ends.
    ///
    /// ```swift
    /// configuration.onDamage = { error in
    ///   Task { await offerRestoringTheBackup(error) }
    /// }
    /// ```
    ///
    /// So that no placeholder gets into the file, no realm of the file with this option commits any
    /// more after the first damage, until all realms of the file were closed: `write` and its kin
    /// throw the first damage, and undo what was written. Use the same option for all realms of a
    /// file, as their objects can be read in each other's transactions. In the body of
    /// ``Realm/snapshot(of:_:)`` damage is thrown and not reported here.
    ///
    /// It is called on the thread that reads, in the midst of its read, once for each damage and at
    /// most a hundred times for a file. Traps stay where nothing could be returned: for a type of
    /// the program that has no default; where a transaction begins, creates or deletes objects; in
    /// `freeze()`, `observe`, `statistics`, history tokens, thread-safe references and migrations.
    public var onDamage: (@Sendable (Realm.Error) -> Void)?

    /// Whether files of another schema version, or of other classes, are emptied instead of
    /// migrated. Good for caches and for programs under development.
    ///
    /// Traps when a realm is opened for reading only with it.
    public var deleteRealmIfMigrationNeeded: Bool

    /// The classes that the realm stores; nil means all classes of the program.
    public var objectTypes: [ObjectBase.Type]?

    /// What synchronises the file; nil for a realm of this device alone.
    ///
    /// Programs set `syncConfiguration`, which is there with the trait `Sync`.
    var synchronisation: (any Synchronisation)? {
      didSet { if let path = synchronisation?.path { location = .file(path) } }
    }

    /// Whether the writes of all realms of the file are recorded and its schema only grows.
    var isSynchronised: Bool { synchronisation != nil }

    /// The kind of history that the file has. A file keeps its kind for good.
    var fileHistory: HistoryKind { isSynchronised ? .syncClient : .inFile }

    private(set) var location: Location

    /// The identity of the database.
    enum Location: Hashable {
      case file(String)
      case memory(String)
      case nowhere

      /// The path of the file, or the name of a realm in memory.
      var path: String {
        switch self {
        case .file(let path), .memory(let path): path
        case .nowhere: ""
        }
      }
    }

    /// The file of the realm; nil for realms in memory. Setting it clears `inMemoryIdentifier`.
    ///
    /// A file in format 10, 11 or 20 to 23, which older releases of Realm wrote, is upgraded to
    /// format 24 when it is opened for writing: in one transaction, before migrations, and before
    /// any other thread or process can open it. A copy `x.v23.backup.realm` of `x.realm` in format
    /// 23 is written beside it first, unless there is one or the disk is short of space, and
    /// removed after three months. If a newer version of the library has changed the file's format,
    /// the newest copy of this kind replaces it, and the file is kept as `x.v25.backup.realm`.
    ///
    /// The directory of a synchronised realm is made when its file is asked for.
    ///
    /// Traps for an empty path and for a URL that is not a file URL.
    public var fileURL: URL? {
      get {
        guard case .file(let path) = location else { return nil }
        if synchronisation?.path == path { try? makeDirectory() }
        return URL(fileURLWithPath: path)
      }
      set {
        guard let newValue else {
          if case .file = location { location = .nowhere }
          return
        }
        if newValue.plainPath == nil, newValue.path.isEmpty {
          throwRealmException("Realm path must not be empty")
        }
        location = .file(newValue.realmFilePath)
      }
    }

    /// The name of a realm in memory; nil for files. Setting it clears `fileURL`.
    ///
    /// The data lives while any realm of that name is alive, and is shared by the whole process.
    public var inMemoryIdentifier: String? {
      get { if case .memory(let name) = location { name } else { nil } }
      set {
        guard let newValue else {
          if case .memory = location { location = .nowhere }
          return
        }
        if newValue.isEmpty { throwRealmException("In-memory identifier must not be empty") }
        location = .memory(newValue)
      }
    }

    /// Creates a configuration of a file, or of a realm in memory if `inMemoryIdentifier` is given.
    ///
    /// - Parameters:
    ///   - fileURL: The file; by default `default.realm` in the default directory.
    ///   - inMemoryIdentifier: The name of a realm in memory.
    ///   - encryptionKey: The key of an encrypted file, 64 bytes.
    ///   - readOnly: Whether the file is never changed through this configuration.
    ///   - schemaVersion: The version of the program's model classes.
    ///   - migrationBlock: Migrates objects from a lower schema version.
    ///   - deleteRealmIfMigrationNeeded: Whether files of another schema are emptied instead.
    ///   - shouldCompactOnLaunch: Whether the file is compacted before it is opened.
    ///   - objectTypes: The classes that the realm stores; nil means all classes of the program.
    ///   - seedFilePath: A file whose copy is opened where there is no file yet.
    public init(
      fileURL: URL? = Realm.Configuration.defaultFileURL, inMemoryIdentifier: String? = nil,
      encryptionKey: Data? = nil, readOnly: Bool = false, schemaVersion: UInt64 = 0,
      migrationBlock: MigrationBlock? = nil, deleteRealmIfMigrationNeeded: Bool = false,
      shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? = nil,
      objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil
    ) {
      _ = Self.storageKey(encryptionKey)
      _ = seedFilePath?.realmFilePath
      self.encryptionKey = encryptionKey
      self.readOnly = readOnly
      self.schemaVersion = schemaVersion
      self.migrationBlock = migrationBlock
      self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
      self.shouldCompactOnLaunch = shouldCompactOnLaunch
      self.seedFilePath = seedFilePath
      self.objectTypes = objectTypes
      location = .nowhere
      if let inMemoryIdentifier {
        self.inMemoryIdentifier = inMemoryIdentifier
      } else {
        self.fileURL = fileURL
      }
      checkOptions(readOnlyIsNew: false)
    }

    /// Makes the directory of the file, for its owner alone, unless it is there.
    func makeDirectory() throws(Realm.Error) {
      let path = location.path
      guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return }
      do throws(StorageError) {
        try PrivatePlace.makeMissingFolders(String(path[..<end]))
      } catch {
        throw Realm.Error(
          .filePermissionDenied,
          message: "Failed to create the directory of '\(path)': \(error) Please use a path where "
            + "your app has read-write permissions.",
          path: path)
      }
    }

    /// Traps if the options contradict each other.
    private func checkOptions(readOnlyIsNew: Bool) {
      guard readOnly, shouldCompactOnLaunch != nil else { return }
      throwRealmException(
        readOnlyIsNew
          ? "Cannot set `readOnly` when `shouldCompactOnLaunch` is set."
          : "Cannot set `shouldCompactOnLaunch` when `readOnly` is set.")
    }
  }
}

extension URL {
  /// The path of the file. Traps unless this is a file URL: the path of another one would name an
  /// unrelated file of this machine.
  var realmFilePath: String {
    guard isFileURL else {
      throwRealmException(
        "Cannot use '\(absoluteString)' as the URL of a Realm file: it is not a file URL. Make one "
          + "with URL(fileURLWithPath:).")
    }
    if let plainPath { return plainPath }
    #if !canImport(Darwin)
    let path = path
    if path.isStandard { return path }
    #endif
    return standardizedFileURL.path
  }

  /// The path, if nothing in it has to be decoded or taken out, which Foundation needs 0.2 ms each
  /// for at the first call. Nil on Apple's systems, whose paths may lead through their own links.
  fileprivate var plainPath: String? {
    #if canImport(Darwin)
    return nil
    #else
    let path = path(percentEncoded: true)
    return path.isStandard && !path.utf8.contains(UInt8(ascii: "%")) ? path : nil
    #endif
  }
}

extension String {
  /// Whether this is an absolute path without empty components and such that begin with a point.
  fileprivate var isStandard: Bool {
    var previous: UInt8?
    for byte in utf8 {
      if previous == UInt8(ascii: "/"), byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") {
        return false
      }
      previous = byte
    }
    return utf8.first == UInt8(ascii: "/") && previous != UInt8(ascii: "/")
  }
}

extension Realm.Configuration: Equatable {
  /// Whether both open the same file in the same way.
  public static func == (left: Realm.Configuration, right: Realm.Configuration) -> Bool {
    left.location == right.location && left.readOnly == right.readOnly
      && left.schemaVersion == right.schemaVersion && left.encryptionKey == right.encryptionKey
      && left.synchronisation?.partition == right.synchronisation?.partition
  }
}

extension Realm.Configuration: CustomStringConvertible {
  /// The properties and their values.
  public var description: String {
    """
    Realm.Configuration {
    \tfileURL = \(fileURL?.absoluteString ?? "(null)");
    \tinMemoryIdentifier = \(inMemoryIdentifier ?? "(null)");
    \tencryptionKey = \(encryptionKey == nil ? "(null)" : "set");
    \treadOnly = \(readOnly ? 1 : 0);
    \tschemaVersion = \(schemaVersion);
    \tmigrationBlock = \(migrationBlock == nil ? "(null)" : "set");
    \tmigrator = \(migrator.map { "\($0.names)" } ?? "(null)");
    \tdeleteRealmIfMigrationNeeded = \(deleteRealmIfMigrationNeeded ? 1 : 0);
    \tshouldCompactOnLaunch = \(shouldCompactOnLaunch == nil ? "(null)" : "set");
    \tmaximumNumberOfActiveVersions = \(maximumNumberOfActiveVersions.map { "\($0)" } ?? "(null)");
    \thistoryLimit = \(historyLimit);
    \tdurability = \(durability);
    \tverifiesChecksums = \(verifiesChecksums ? 1 : 0);
    \tobjectTypes = \(objectTypes.map { "\($0.map { $0.className() })" } ?? "(null)");
    \tseedFilePath = \(seedFilePath?.path ?? "(null)");
    }
    """
  }
}
