/**
 * Receives files from the visitor. They are dropped on the window (single files or a whole folder), or chosen in a
 * dialogue. Files of a dropped folder keep their relative paths, because a .gltf refers to its textures by path.
 */
export interface FileTargets {
  /** Element that shows the outline while files are dragged over the window. */
  readonly stage: HTMLElement;
  readonly input: HTMLInputElement;
  readonly button: HTMLElement;
}

export function watchFiles({ stage, input, button }: FileTargets, onFiles: (files: File[]) => void): void {
  let depth = 0;
  const setDropping = (isDropping: boolean): void => {
    stage.classList.toggle('dropping', isDropping);
  };
  addEventListener('dragenter', () => setDropping(++depth > 0));
  addEventListener('dragleave', () => setDropping(--depth > 0));
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    depth = 0;
    setDropping(false);
    if (!event.dataTransfer) return;
    void filesOf(event.dataTransfer).then((files) => {
      if (files.length > 0) onFiles(files);
    });
  });
  button.addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    // Clear the input, so that the same file can be chosen again after a change.
    input.value = '';
    if (files.length > 0) onFiles(files);
  });
}

async function filesOf(transfer: DataTransfer): Promise<File[]> {
  // Entries are available only during the event.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const plain = [...transfer.files];
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  const files: File[] = [];
  for (const entry of entries) if (entry) await collect(entry, files);
  return files;
}

async function collect(entry: FileSystemEntry, files: File[]): Promise<void> {
  if (entry.isDirectory) {
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      // Browsers return a hundred entries at a time.
      const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
        reader.readEntries(resolve, reject),
      );
      if (batch.length === 0) return;
      for (const child of batch) await collect(child, files);
    }
  }
  const file = await new Promise<File>((resolve, reject) =>
    (entry as FileSystemFileEntry).file(resolve, reject),
  );
  Object.defineProperty(file, 'webkitRelativePath', { value: entry.fullPath.slice(1) });
  files.push(file);
}
