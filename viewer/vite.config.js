import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// One page with everything inline: it opens from a folder, without a server and without a network.
export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    target: "es2022",
    emptyOutDir: false,
    reportCompressedSize: false,
    rollupOptions: { input: "template.html" },
  },
});
